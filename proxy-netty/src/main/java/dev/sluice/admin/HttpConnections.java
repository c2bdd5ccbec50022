package dev.sluice.admin;

import io.netty.channel.Channel;
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
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The connections of the admin server, of which there is a limited number. One more takes the place
 * of the one that has been idle for longest, so that clients that keep theirs do not shut out a
 * probe; while all are busy it is closed. A server may close an idle connection at any time (RFC
 * 9112 section 9.5). Each reads one request at a time: the next one waits until the reply to it is
 * sent.
 *
 * <p>Threads: the admin loop only.
 */
final class AdminConnections extends ChannelInitializer<SocketChannel> {
    static final int MOST = 16;
    static final int LONGEST_REQUEST_LINE = 4096;
    static final int LONGEST_HEADERS = 8192;

    private final ChannelGroup open;
    private final Set<Channel> idleLongestFirst = new LinkedHashSet<>();
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
        if (!isTherePlace()) {
            ChannelFuture unused = channel.close();
            return;
        }
        open.add(channel);
        RequestTimer timer = new RequestTimer(limits, idleLongestFirst);
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

    private boolean isTherePlace() {
        // A loop, since one that has just closed may still be among the idle, and has no place to
        // give.
        while (open.size() >= MOST && !idleLongestFirst.isEmpty()) {
            Channel longest = idleLongestFirst.iterator().next();
            idleLongestFirst.remove(longest);
            ChannelFuture unused = longest.close();
        }
        return open.size() < MOST;
    }

    /** Closes all of them. */
    void close() {
        ChannelGroupFuture unused = open.close();
    }
}
