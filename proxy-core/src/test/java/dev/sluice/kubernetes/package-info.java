/**
 * Tests of what reads Kubernetes objects: {@link dev.sluice.kubernetes.KubernetesFixtures} makes
 * them, good and odd.
 *
 * <p>Entry type: none. Threads: each test has its own.
 */
@NullMarked
package dev.sluice.kubernetes;

import org.jspecify.annotations.NullMarked;
