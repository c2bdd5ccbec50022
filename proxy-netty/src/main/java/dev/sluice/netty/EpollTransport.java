package dev.sluice.netty;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import io.netty.channel.ChannelException;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.Socket;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Linux: sockets of Netty's native library, edge-triggered epoll, SO_ORIGINAL_DST and TCP_INFO. */
final class EpollTransport implements NettyTransport {
    /** Negative errno of EADDRINUSE and EACCES, as Netty's native exceptions carry them. */
    private static final int EADDRINUSE = -98;

    private static final int EACCES = -13;

    private static final int LONGEST_DATAGRAM = 65_535;

    /** Datagrams that one recvmmsg takes. */
    private static final int BATCH = 8;

    /** What an empty datagram is sent from; nobody writes to it. */
    private final ByteBuffer nothing = ByteBuffer.allocateDirect(1);

    static boolean isAvailable() {
        return Epoll.isAvailable();
    }

    /**
     * The transport, or why there is none.
     *
     * @throws IllegalStateException if the native library does not load
     */
    static EpollTransport required() {
        if (!isAvailable()) {
            Throwable cause = Epoll.unavailabilityCause();
            throw new IllegalStateException(
                    "transport.kind EPOLL is not available here: " + cause, cause);
        }
        return new EpollTransport();
    }

    @Override
    public String name() {
        return "epoll";
    }

    @Override
    public boolean knowsOriginalDestination() {
        return true;
    }

    /**
     * All local addresses: of both families through one dual-stack socket, or of IPv4 where IPv6 is
     * off.
     */
    static IpAddress anyAddress() {
        return IpAddress.parse(Socket.isIPv6Preferred() ? "::" : "0.0.0.0");
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return EpollIoHandler.newFactory();
    }

    @Override
    public ListenSocket bind(InetSocketAddress address) throws IOException {
        return new EpollListenSocket(bound(address));
    }

    private static Socket bound(InetSocketAddress address) throws IOException {
        Socket socket = newSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(address);
            return socket;
        } catch (Errors.NativeIoException e) {
            socket.close();
            throw ifTaken(address, e);
        }
    }

    /** The same error as {@link BindException} if it says that another port may do. */
    static IOException ifTaken(InetSocketAddress address, Errors.NativeIoException e) {
        if (e.expectedErr() != EADDRINUSE && e.expectedErr() != EACCES) {
            return e;
        }
        BindException taken = new BindException(address + ": " + e.getMessage());
        taken.initCause(e);
        return taken;
    }

    @Override
    public StreamSocket connect(Endpoint endpoint) throws IOException {
        Socket socket = newSocket();
        try {
            socket.connect(
                    new InetSocketAddress(endpoint.address().toInetAddress(), endpoint.port()));
            return new EpollStreamSocket(socket, endpoint.address(), endpoint.port());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public UdpChannel newUdpChannel(InetSocketAddress address) throws IOException {
        EpollDatagramChannel channel;
        try {
            channel =
                    new EpollDatagramChannel(
                            address.getAddress() instanceof Inet4Address
                                    ? SocketProtocolFamily.INET
                                    : SocketProtocolFamily.INET6);
        } catch (ChannelException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
        channel.config()
                .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(BATCH * LONGEST_DATAGRAM));
        channel.config().setMaxDatagramPayloadSize(LONGEST_DATAGRAM);
        return new UdpChannel(
                channel,
                to -> {
                    Socket socket = new Socket(channel.fd().intValue());
                    if (to == null) {
                        socket.send(nothing, 0, 0);
                    } else {
                        socket.sendTo(nothing, 0, 0, to.getAddress(), to.getPort());
                    }
                });
    }

    @Override
    public Closeable spareDescriptor() throws IOException {
        return newSocket()::close;
    }

    private static Socket newSocket() throws IOException {
        try {
            return Socket.newSocketStream();
        } catch (ChannelException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
    }
}
