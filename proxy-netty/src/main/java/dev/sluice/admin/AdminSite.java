package dev.sluice.admin;

import static dev.sluice.admin.RefusedRequest.quoted;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The pages, for those who address this server by a name or address of its own. Only GET and HEAD,
 * without a body: nothing that comes in changes anything.
 *
 * <p>Threads: the admin loop only.
 */
final class AdminSite implements Site {
    private final Pages pages;
    private final HostRule hosts;

    AdminSite(Pages pages, HostRule hosts) {
        this.pages = pages;
        this.hosts = hosts;
    }

    @Override
    public CompletionStage<Reply> reply(HttpRequest request, InetAddress local) {
        hosts.check(
                request.protocolVersion(), request.headers().getAll(HttpHeaderNames.HOST), local);
        HttpMethod method = request.method();
        if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
            throw new RefusedRequest(
                    HttpResponseStatus.METHOD_NOT_ALLOWED,
                    "method " + quoted(method.name()) + ": must be GET or HEAD");
        }
        if (HttpHandler.hasBody(request)) {
            throw new RefusedRequest(
                    HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "body: must be empty");
        }
        return pages.reply(
                PageRequest.of(
                        request.uri(),
                        Optional.ofNullable(request.headers().get(HttpHeaderNames.ACCEPT))));
    }
}
