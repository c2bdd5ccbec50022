package dev.sluice.admin;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.EventExecutor;

/**
 * The connections of the admin server, of which there is a limited number; one more is closed at
 * once. Each reads one request at a time: the next one waits until the reply to it is sent.
 *
 * <p>Threads: the admin loop only.
 */
final class AdminConnections extends ChannelInitializer<SocketChannel> {
    static final int MOST = 16;
    static final int LONGEST_REQUEST_LINE = 4096;
    static final int LONGEST_HEADERS = 8192;

    private final ChannelGroup open;
    private final Pages pages;
    private final HostRule hosts;
    private final RequestTimer.Limits limits;

    AdminConnections(EventExecutor loop, Pages pages, HostRule hosts, RequestTimer.Limits limits) {
        this.open = new DefaultChannelGroup(loop);
        this.pages = pages;
        this.hosts = hosts;
        this.limits = limits;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        if (open.size() >= MOST) {
            ChannelFuture unused = channel.close();
            return;
        }
        open.add(channel);
        RequestTimer timer = new RequestTimer(limits);
        channel.pipeline()
                .addLast(
                        timer,
                        new HttpServerCodec(
                                new HttpDecoderConfig()
                                        .setMaxInitialLineLength(LONGEST_REQUEST_LINE)
                                        .setMaxHeaderSize(LONGEST_HEADERS)),
                        new FlowControlHandler(),
                        new AdminHandler(pages, hosts, timer));
    }

    /** Closes all of them. */
    void close() {
        ChannelGroupFuture unused = open.close();
    }
}
