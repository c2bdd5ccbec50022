package dev.sluice.netty;

import java.time.Duration;

/**
 * What is known about the peer of one leg between two looks. Keepalive does not run while bytes are
 * on their way, and TCP_USER_TIMEOUT would also end a peer that merely pauses reading: that one
 * answers window probes, and is kept.
 *
 * <p>Threads: the connection's event loop only.
 */
final class Liveness {
    private final long unackedMillis;
    private boolean suspect;
    private long clean = Long.MIN_VALUE;

    /**
     * @param unackedTimeout how long a peer may acknowledge nothing while bytes are on their way
     */
    Liveness(Duration unackedTimeout) {
        unackedMillis = unackedTimeout.toMillis();
    }

    /**
     * Whether the peer is gone.
     *
     * @param lastMoved when bytes last moved on the connection
     */
    boolean isDead(StreamSocket socket, long lastMoved, long now) {
        if (clean != Long.MIN_VALUE && lastMoved - clean < 0) {
            // Everything had been acknowledged, and nothing was sent since.
            return false;
        }
        TcpInfo info = socket.tcpInfo();
        if (info == null) {
            return false;
        }
        if (!looksDead(socket, info)) {
            suspect = false;
            clean = info.outstanding() == 0 ? now : Long.MIN_VALUE;
            return false;
        }
        // The answer may be on its way: only what stays so until the next look counts.
        boolean isDead = suspect;
        suspect = true;
        return isDead;
    }

    private boolean looksDead(StreamSocket socket, TcpInfo info) {
        if (info.state() == TcpInfo.CLOSE) {
            // With both FINs through it is the usual end, whose bytes may still be unread.
            return !socket.outputShut();
        }
        // One unanswered probe says nothing: it may be on its way, or counted after its answer.
        return info.outstanding() > 0
                && info.unansweredProbes() > 1
                && info.sinceLastAckMillis() >= unackedMillis;
    }
}
