/**
 * From objects of the Kubernetes API to the model. {@link dev.sluice.kubernetes.SnapshotBuilder}
 * turns Services and their endpoints into a {@link dev.sluice.model.ServiceSnapshot}; {@link
 * dev.sluice.kubernetes.ManifestServiceSource} feeds it from files. Nothing outside this package
 * sees a type of the Kubernetes client.
 *
 * <p>Objects are read as if nobody had validated them: whatever is wrong with one of them becomes a
 * {@link dev.sluice.model.Problem}, and the others are served.
 *
 * <p>Entry types: {@link dev.sluice.kubernetes.SnapshotBuilder}, {@link
 * dev.sluice.kubernetes.ManifestServiceSource}. Threads: a builder belongs to one thread at a time;
 * a source is safe for any.
 */
@NullMarked
package dev.sluice.kubernetes;

import org.jspecify.annotations.NullMarked;
