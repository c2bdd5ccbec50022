/**
 * The HTTP transport to the API server: the JDK's client, watched from below.
 *
 * <p>The Kubernetes client sends pings on its watches but does not look for the answers, and it
 * honours {@code Retry-After} within one call only. Both are added here, where every request and
 * every frame passes. Entry type: {@link dev.sluice.kubernetes.transport.WatchedHttpClientFactory}.
 *
 * <p>Threads: any; callbacks come on threads of the JDK's client.
 */
@NullMarked
package dev.sluice.kubernetes.transport;

import org.jspecify.annotations.NullMarked;
