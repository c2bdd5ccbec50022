package dev.sluice.admin;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The limited number of connections of a server. One more takes the place of the one that has been
 * idle for longest, so that clients that keep theirs do not shut out a probe; while all are busy it
 * gets none. A server may close an idle connection at any time (RFC 9112 section 9.5).
 *
 * <p>Threads: one event loop only.
 */
final class HttpPlaces {
    private final int most;
    private final ChannelGroup open;
    private final Set<Channel> idleLongestFirst = new LinkedHashSet<>();

    /**
     * @param loop of all the connections
     */
    HttpPlaces(int most, EventExecutor loop) {
        this.most = most;
        this.open = new DefaultChannelGroup(loop);
    }

    /** Gives the connection a place until it is closed, if there is one. */
    boolean take(Channel channel) {
        // A loop, since one that has just closed may still be among the idle, and has no place to
        // give.
        while (open.size() >= most && !idleLongestFirst.isEmpty()) {
            Channel longest = idleLongestFirst.iterator().next();
            idleLongestFirst.remove(longest);
            ChannelFuture unused = longest.close();
        }
        return open.size() < most && open.add(channel);
    }

    /** Those between a reply and the next request, which a {@link RequestTimer} tells. */
    Set<Channel> idle() {
        return idleLongestFirst;
    }

    /** Closes all of them. */
    void close() {
        ChannelGroupFuture unused = open.close();
    }
}
