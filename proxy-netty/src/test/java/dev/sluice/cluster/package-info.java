/**
 * The program with a real control plane: etcd, kube-apiserver and the endpoint controllers on a
 * node, kubectl to change what they hold, and pods around it, all in network namespaces of this
 * machine that are removed afterwards. The same node takes kube-proxy in place of Sluice.
 *
 * <p>Entry types: {@link dev.sluice.cluster.Lab}, which every test makes anew, and {@link
 * dev.sluice.cluster.Comparison}. Run by the Maven profile {@code cluster} only, which builds the
 * control plane. Threads: the test's; what happens in a pod is a {@link dev.sluice.e2e.Task}.
 */
@NullMarked
package dev.sluice.cluster;

import org.jspecify.annotations.NullMarked;
