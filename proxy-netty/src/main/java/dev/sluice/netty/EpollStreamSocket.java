package dev.sluice.netty;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A socket registered once, edge-triggered, for everything that can happen to it. */
final class EpollStreamSocket extends StreamSocket implements EpollIoHandle {
    private static final int EPOLLHUP = 0x10;
    private static final int EPOLLPRI = 0x2;

    /** A refused SYN is ECONNREFUSED: these come after a handshake, EPIPE after a FIN as well. */
    private static final int ECONNRESET = 104;

    private static final int EPIPE = 32;

    private static final EpollIoOps ALL_EVENTS =
            EpollIoOps.valueOf(
                    EpollIoOps.EPOLLIN.value()
                            | EpollIoOps.EPOLLOUT.value()
                            | EpollIoOps.EPOLLRDHUP.value()
                            | EPOLLPRI
                            | EpollIoOps.EPOLLET.value());

    /**
     * Level and name of {@code SO_ORIGINAL_DST} and {@code IP6T_SO_ORIGINAL_DST}, and the length of
     * the answers.
     */
    private static final int SOL_IP = 0;

    private static final int SOL_IPV6 = 41;
    private static final int SO_ORIGINAL_DST = 80;
    private static final int SOCKADDR_IN_LENGTH = 16;
    private static final int SOCKADDR_IN6_LENGTH = 28;

    private static final int SOL_SOCKET = 1;
    private static final int SO_OOBINLINE = 10;

    private static final int TCP_KEEPIDLE = 4;
    private static final int TCP_KEEPINTVL = 5;
    private static final int TCP_KEEPCNT = 6;

    private final Socket socket;
    private @Nullable IoRegistration registration;

    EpollStreamSocket(Socket socket, IpAddress peer, int peerPort) {
        super(peer, peerPort);
        this.socket = socket;
    }

    @Override
    boolean finishConnect() throws IOException {
        int errno = socket.getSoError();
        if (errno == ECONNRESET) {
            failTold();
        } else if (errno == EPIPE) {
            fail();
        } else if (errno != 0) {
            throw new Errors.NativeIoException("connect", -errno);
        }
        return writable();
    }

    @Override
    void register(ConnectionLoop loop) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        // Urgent data is part of the stream (RFC 6093); otherwise its byte would be dropped.
        socket.setIntOpt(SOL_SOCKET, SO_OOBINLINE, 1);
        socket.setIntOpt(
                TcpInfo.IPPROTO_TCP, TCP_KEEPIDLE, (int) loop.keepalive().idle().toSeconds());
        socket.setIntOpt(
                TcpInfo.IPPROTO_TCP, TCP_KEEPINTVL, (int) loop.keepalive().interval().toSeconds());
        socket.setIntOpt(TcpInfo.IPPROTO_TCP, TCP_KEEPCNT, loop.keepalive().probes());
        registration = loop.register(this);
        registration.submit(ALL_EVENTS);
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
        EpollIoOps events = ((EpollIoEvent) event).ops();
        boolean error = events.contains(EpollIoOps.EPOLLERR);
        boolean hangUp = (events.value() & EPOLLHUP) != 0;
        // A read stops short at urgent data, with more bytes behind it.
        boolean urgent = (events.value() & EPOLLPRI) != 0;
        // A hang-up is the usual end once our own FIN is out; before that only a dead socket hangs
        // up.
        ready(
                events.contains(EpollIoOps.EPOLLIN),
                events.contains(EpollIoOps.EPOLLOUT),
                hangUp || urgent || events.contains(EpollIoOps.EPOLLRDHUP),
                error || (hangUp && !outputShut()));
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    @Nullable FrontEnd originalDestination() {
        boolean v4 = peer().family() == IpFamily.IPV4;
        byte[] raw = new byte[v4 ? SOCKADDR_IN_LENGTH : SOCKADDR_IN6_LENGTH];
        try {
            socket.getRawOpt(v4 ? SOL_IP : SOL_IPV6, SO_ORIGINAL_DST, ByteBuffer.wrap(raw));
        } catch (IOException e) {
            // ENOENT and ENOPROTOOPT: no translation was recorded for this connection.
            return null;
        }
        int port = Short.toUnsignedInt(ByteBuffer.wrap(raw).getShort(2));
        IpAddress address =
                IpAddress.of(v4 ? Arrays.copyOfRange(raw, 4, 8) : Arrays.copyOfRange(raw, 8, 24));
        return port == 0 ? null : new FrontEnd(address, port, Protocol.TCP);
    }

    @Override
    void interest(int events) {
        // Edge-triggered: every event comes once, wanted or not.
    }

    @Override
    @Nullable TcpInfo tcpInfo() {
        byte[] raw = new byte[TcpInfo.LENGTH];
        try {
            socket.getRawOpt(TcpInfo.IPPROTO_TCP, TcpInfo.TCP_INFO, ByteBuffer.wrap(raw));
        } catch (IOException e) {
            return null;
        }
        return TcpInfo.parse(raw);
    }

    @Override
    int receive(ByteBuffer into) throws IOException {
        int read;
        try {
            read = socket.recv(into, into.position(), into.limit());
        } catch (NotYetConnectedException e) {
            throw dead(e);
        }
        if (read > 0) {
            into.position(into.position() + read);
        }
        return read;
    }

    @Override
    int send(ByteBuffer from) throws IOException {
        int written;
        try {
            written = socket.send(from, from.position(), from.limit());
        } catch (NotYetConnectedException e) {
            throw dead(e);
        }
        from.position(from.position() + written);
        return written;
    }

    @Override
    void sendFin() throws IOException {
        try {
            socket.shutdown(false, true);
        } catch (NotYetConnectedException e) {
            throw dead(e);
        }
    }

    /** Netty's word for ENOTCONN, which here means that the kernel has dropped the connection. */
    private static IOException dead(NotYetConnectedException cause) {
        return new IOException("the connection is gone", cause);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The descriptor is gone all the same (close(2)).
        }
        // After the close, so that the kernel has already forgotten the descriptor and no epoll_ctl
        // is needed.
        if (registration != null) {
            registration.cancel();
        }
    }

    @Override
    void reset() {
        try {
            socket.setSoLinger(0);
        } catch (IOException e) {
            // Already dead: nobody is left to be told.
        }
        close();
    }
}
