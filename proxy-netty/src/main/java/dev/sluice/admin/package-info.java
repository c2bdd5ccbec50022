/**
 * The admin server: health, metrics and views of a proxy, over HTTP on an address of its own.
 *
 * <p>Entry type: {@link dev.sluice.admin.AdminServer}. A request passes the limits of its
 * connection ({@link dev.sluice.admin.HttpConnections}), is checked ({@link
 * dev.sluice.admin.AdminSite}) and answered by a {@link dev.sluice.admin.Page}. Pages read what the
 * other packages count anyway, at the moment in which they are asked; nothing is measured twice.
 *
 * <p>Threads: one event loop of its own, so that a scrape never holds up a connection; it never
 * blocks, and waits for the loops of the data path for a limited time only. Started and closed by
 * any thread.
 */
@NullMarked
package dev.sluice.admin;

import org.jspecify.annotations.NullMarked;
