/**
 * The admin server: health, metrics and views of a proxy, over HTTP on an address of its own.
 *
 * <p>Entry type: {@link dev.sluice.admin.AdminServer}. A request passes the limits of its
 * connection ({@link dev.sluice.admin.HttpConnections}), is checked ({@link
 * dev.sluice.admin.AdminSite}) and answered by a {@link dev.sluice.admin.Page}. Pages read what the
 * other packages count anyway, at the moment in which they are asked; nothing is measured twice.
 *
 * <p>Beside it, {@link dev.sluice.admin.HealthServers} tell load balancers about the node and about
 * single Services, to the letter of kube-proxy. All servers are a {@link dev.sluice.admin.Site}
 * behind the same limits.
 *
 * <p>Threads: one event loop for the admin server and one for the health servers, so that neither a
 * scrape nor a probe holds up a connection, or one the other; they never block, and the first waits
 * for the loops of the data path for a limited time only. Started and closed by any thread.
 */
@NullMarked
package dev.sluice.admin;

import org.jspecify.annotations.NullMarked;
