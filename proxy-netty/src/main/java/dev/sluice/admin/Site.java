package dev.sluice.admin;

import io.netty.handler.codec.http.HttpRequest;
import java.net.InetAddress;
import java.util.concurrent.CompletionStage;

/**
 * What a server answers.
 *
 * <p>Threads: called on its event loop; must not block, and may complete on any thread.
 */
@FunctionalInterface
interface Site {
    /**
     * Answers a well-formed request.
     *
     * @param local the address that the client connected to
     * @throws RefusedRequest if the request breaks a rule of this server
     */
    CompletionStage<Reply> reply(HttpRequest request, InetAddress local);
}
