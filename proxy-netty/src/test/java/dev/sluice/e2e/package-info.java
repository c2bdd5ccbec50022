/**
 * The program as its users see it: {@code sluice.jar} on a node with pods around it, all of them
 * network namespaces of this machine that are removed afterwards. Nothing but manifests, signals
 * and connections goes in, nothing but bytes, rules, descriptors and exit codes is looked at.
 *
 * <p>Entry type: {@link dev.sluice.e2e.Testbed}, which every test registers. Threads: the test's;
 * what happens in a pod is a {@link dev.sluice.e2e.Task} that the pod's own process runs.
 */
@NullMarked
package dev.sluice.e2e;

import org.jspecify.annotations.NullMarked;
