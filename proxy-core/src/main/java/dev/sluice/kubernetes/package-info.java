/**
 * From objects of the Kubernetes API to the model. {@link dev.sluice.kubernetes.SnapshotBuilder}
 * turns Services and their endpoints into a {@link dev.sluice.model.ServiceSnapshot}. {@link
 * dev.sluice.kubernetes.KubernetesServiceSource} feeds it from an API server, {@link
 * dev.sluice.kubernetes.ManifestServiceSource} from files. Nothing outside this package sees a type
 * of the Kubernetes client.
 *
 * <p>Objects are read as if nobody had validated them: whatever is wrong with one of them becomes a
 * {@link dev.sluice.model.Problem}, and the others are served.
 *
 * <p>A build has two steps. What the objects of one Service say is a {@code ParsedService},
 * whatever else there is; what that comes to beside all other Services and on this node is a {@code
 * PlacedService}: {@code FrontEndClaims} decides who has which front end, {@code EligibleEndpoints}
 * which endpoints are used, {@code OwnNode} knows the node. Both steps are remembered.
 *
 * <p>The life of a list: {@code EndpointDiscovery} asks which form of endpoints there is; a {@code
 * FollowedList} starts an {@code InformerRun}, which lists and watches until something fails, and
 * starts the next one after a pause; {@code HistoryCheck} looks whether a watch that was opened
 * again still tells of the same state. Below, {@link dev.sluice.kubernetes.transport} sees every
 * request and every frame.
 *
 * <p>Entry types: the two sources and {@link dev.sluice.kubernetes.ApiServer}. Threads: a builder
 * belongs to one thread at a time; a source is safe for any.
 */
@NullMarked
package dev.sluice.kubernetes;

import org.jspecify.annotations.NullMarked;
