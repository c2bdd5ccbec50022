package dev.sluice.admin;

import static dev.sluice.admin.RefusedRequest.badRequest;
import static dev.sluice.admin.RefusedRequest.quoted;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads requests and sends what a {@link Site} answers.
 *
 * <p>Threads: the loop of its connection only.
 */
final class HttpHandler extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(HttpHandler.class);

    private final Site site;
    private final RequestTimer timer;
    private boolean over;

    HttpHandler(Site site, RequestTimer timer) {
        this.site = site;
        this.timer = timer;
    }

    /** Whether more follows the headers than the next request. */
    static boolean hasBody(HttpRequest request) {
        return HttpUtil.isTransferEncodingChunked(request)
                || HttpUtil.getContentLength(request, 0L) > 0;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpRequest request && !over) {
                timer.requested();
                // The next request waits until this one is answered.
                context.channel().config().setAutoRead(false);
                answer(context, request);
            }
            // All else is the end of a request that has been answered, or follows a refused one.
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void answer(ChannelHandlerContext context, HttpRequest request) {
        boolean keepAlive;
        CompletionStage<Reply> reply;
        try {
            if (request.decoderResult().isFailure()) {
                throw malformed(request.decoderResult().cause());
            }
            // A body is never read, so it is the end of the connection.
            keepAlive = HttpUtil.isKeepAlive(request) && !hasBody(request);
            InetSocketAddress local = (InetSocketAddress) context.channel().localAddress();
            reply = site.reply(request, local.getAddress());
        } catch (RefusedRequest e) {
            // Also the end of the connection: what follows may be the body of what was refused.
            send(context, HttpVersion.HTTP_1_1, e.reply(), false);
            return;
        } catch (RuntimeException e) {
            send(context, HttpVersion.HTTP_1_1, failed(request.uri(), e), false);
            return;
        }
        String uri = request.uri();
        reply.whenCompleteAsync(
                (page, failure) ->
                        send(
                                context,
                                request.protocolVersion(),
                                page == null ? failed(uri, failure) : page,
                                keepAlive),
                context.executor());
    }

    private static RefusedRequest malformed(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return new RefusedRequest(
                    HttpResponseStatus.REQUEST_URI_TOO_LONG,
                    "request line: must not be longer than "
                            + HttpConnections.LONGEST_REQUEST_LINE
                            + " bytes");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return new RefusedRequest(
                    HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    "headers: must not be longer than "
                            + HttpConnections.LONGEST_HEADERS
                            + " bytes");
        }
        return badRequest("request: must be HTTP/1.1 (RFC 9112)");
    }

    private static Reply failed(String uri, @Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof RefusedRequest refused) {
            return refused.reply();
        }
        if (cause instanceof TimeoutException) {
            return Reply.text(
                    HttpResponseStatus.SERVICE_UNAVAILABLE,
                    "an event loop did not answer in time; /livez tells which\n");
        }
        log.error("{} could not be answered", quoted(uri), cause);
        return Reply.text(
                HttpResponseStatus.INTERNAL_SERVER_ERROR, "a fault of the proxy, see its log\n");
    }

    private void send(
            ChannelHandlerContext context, HttpVersion version, Reply reply, boolean keepAlive) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, reply.status(), Unpooled.wrappedBuffer(reply.body()));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, reply.contentType())
                .set(HttpHeaderNames.CONTENT_LENGTH, reply.body().length)
                .set("X-Content-Type-Options", "nosniff")
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        reply.headers().forEach(response.headers()::set);
        if (reply.status().equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
            response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
        }
        HttpUtil.setKeepAlive(response.headers(), version, keepAlive);
        context.writeAndFlush(response)
                .addListener(
                        (ChannelFutureListener) sent -> sent(context, sent.isSuccess(), keepAlive));
    }

    private void sent(ChannelHandlerContext context, boolean success, boolean keepAlive) {
        if (!success) {
            ChannelFuture unused = context.close();
            return;
        }
        if (keepAlive) {
            timer.replied();
        } else {
            // Not a close: with unread bytes that is a reset, which may overtake the reply.
            over = true;
            timer.ended();
            ChannelFuture unused = ((DuplexChannel) context.channel()).shutdownOutput();
        }
        context.channel().config().setAutoRead(true);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.debug("an HTTP connection ends", cause);
        ChannelFuture unused = context.close();
    }
}
