package dev.sluice.admin;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;

/**
 * Sets up the connections of a listener; one without a place is closed. Each reads one request at a
 * time: the next one waits until the reply to it is sent.
 *
 * <p>Threads: one event loop only.
 */
final class HttpConnections extends ChannelInitializer<SocketChannel> {
    static final int LONGEST_REQUEST_LINE = 4096;
    static final int LONGEST_HEADERS = 8192;

    private final HttpPlaces places;
    private final Site site;
    private final RequestTimer.Limits limits;

    HttpConnections(HttpPlaces places, Site site, RequestTimer.Limits limits) {
        this.places = places;
        this.site = site;
        this.limits = limits;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        if (!places.take(channel)) {
            ChannelFuture unused = channel.close();
            return;
        }
        RequestTimer timer = new RequestTimer(limits, places.idle());
        channel.pipeline()
                .addLast(
                        timer,
                        new HttpServerCodec(
                                new HttpDecoderConfig()
                                        .setMaxInitialLineLength(LONGEST_REQUEST_LINE)
                                        .setMaxHeaderSize(LONGEST_HEADERS)),
                        new FlowControlHandler(),
                        new HttpHandler(site, timer));
    }
}
