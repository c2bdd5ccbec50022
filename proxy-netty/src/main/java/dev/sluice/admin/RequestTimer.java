package dev.sluice.admin;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection that takes too long: to send a request, counted from its first byte, so that
 * one sent byte by byte does not hold a place; to take the reply; to come with the next request.
 * Tells which connections are idle, that is between a reply and the next request.
 *
 * <p>Threads: the admin loop only.
 */
final class RequestTimer extends ChannelInboundHandlerAdapter {
    /** Limits of one connection. */
    record Limits(Duration request, Duration reply, Duration idle) {
        static final Limits USUAL =
                new Limits(Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(60));
    }

    private final Limits limits;
    private final Set<Channel> idle;
    private @Nullable Channel channel;
    private @Nullable Future<?> end;

    /**
     * @param idle the connection is added when it becomes idle and removed when it no longer is
     */
    RequestTimer(Limits limits, Set<Channel> idle) {
        this.limits = limits;
        this.idle = idle;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        closeAfter(limits.request());
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        if (idle.remove(context.channel())) {
            closeAfter(limits.request());
        }
        context.fireChannelRead(bytes);
    }

    /** A request is complete. */
    void requested() {
        idle.remove(channel);
        closeAfter(limits.reply());
    }

    /** Its reply is sent, and another request may come. */
    void replied() {
        if (channel != null) {
            idle.add(channel);
        }
        closeAfter(limits.idle());
    }

    /** The last reply is sent; the client has as long to end as it had to send a request. */
    void ended() {
        closeAfter(limits.request());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        idle.remove(context.channel());
        channel = null;
        stop();
        context.fireChannelInactive();
    }

    private void closeAfter(Duration limit) {
        stop();
        Channel open = channel;
        if (open != null) {
            end =
                    open.eventLoop()
                            .schedule(
                                    () -> {
                                        ChannelFuture unused = open.close();
                                    },
                                    limit.toMillis(),
                                    TimeUnit.MILLISECONDS);
        }
    }

    private void stop() {
        if (end != null) {
            end.cancel(false);
            end = null;
        }
    }
}
