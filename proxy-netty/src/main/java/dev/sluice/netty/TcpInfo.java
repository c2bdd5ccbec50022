package dev.sluice.netty;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What Linux tells about a connection ({@code getsockopt(TCP_INFO)}, {@code struct tcp_info} of
 * linux/tcp.h).
 *
 * <p>Immutable; any thread.
 *
 * @param state the TCP state; {@link #CLOSE} when the kernel has dropped the connection
 * @param unansweredProbes retransmissions and window probes since the peer's last answer
 * @param unacked segments sent and not acknowledged
 * @param sinceLastAckMillis time since the peer's last acknowledgement, ms
 * @param unsent bytes written and not sent yet
 */
record TcpInfo(
        int state, int unansweredProbes, long unacked, long sinceLastAckMillis, long unsent) {
    /** Level and name of the socket option. */
    static final int IPPROTO_TCP = 6;

    static final int TCP_INFO = 11;

    /** Up to and including {@code tcpi_notsent_bytes}, which Linux has had since 4.6. */
    static final int LENGTH = 148;

    /** {@code TCP_CLOSE}. */
    static final int CLOSE = 7;

    private static final int RETRANSMITS = 2;
    private static final int PROBES = 3;
    private static final int UNACKED = 24;
    private static final int LAST_ACK_RECV = 56;
    private static final int NOTSENT_BYTES = 144;

    static TcpInfo parse(byte[] raw) {
        ByteBuffer info = ByteBuffer.wrap(raw).order(ByteOrder.nativeOrder());
        return new TcpInfo(
                raw[0],
                Byte.toUnsignedInt(raw[RETRANSMITS]) + Byte.toUnsignedInt(raw[PROBES]),
                Integer.toUnsignedLong(info.getInt(UNACKED)),
                Integer.toUnsignedLong(info.getInt(LAST_ACK_RECV)),
                Integer.toUnsignedLong(info.getInt(NOTSENT_BYTES)));
    }

    /** A measure of what the peer has not acknowledged yet; 0 when all has arrived. */
    long outstanding() {
        return unacked + unsent;
    }
}
