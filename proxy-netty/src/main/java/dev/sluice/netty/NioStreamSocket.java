package dev.sluice.netty;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoOps;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * A socket of {@code java.nio}, whose selector is level-triggered: only what is wanted is asked
 * for.
 */
final class NioStreamSocket extends StreamSocket {
    private final SocketChannel channel;
    private @Nullable IoRegistration registration;
    private int interest;

    NioStreamSocket(SocketChannel channel, IpAddress peer, int peerPort) throws IOException {
        super(peer, peerPort);
        this.channel = channel;
        channel.configureBlocking(false);
    }

    @Override
    boolean finishConnect() throws IOException {
        try {
            return channel.finishConnect();
        } catch (SocketException e) {
            // A refused SYN is a ConnectException: these come after a handshake, the second one
            // after a FIN as well. The channel is closed by now, so what came before is lost.
            if (!"Connection reset by peer".equals(e.getMessage())
                    && !"Broken pipe".equals(e.getMessage())) {
                throw e;
            }
            failTold();
            return true;
        }
    }

    @Override
    void register(ConnectionLoop loop) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        // Urgent data is part of the stream (RFC 6093); otherwise its byte would be dropped.
        channel.socket().setOOBInline(true);
        keepalive(ExtendedSocketOptions.TCP_KEEPIDLE, (int) loop.keepalive().idle().toSeconds());
        keepalive(
                ExtendedSocketOptions.TCP_KEEPINTERVAL,
                (int) loop.keepalive().interval().toSeconds());
        keepalive(ExtendedSocketOptions.TCP_KEEPCOUNT, loop.keepalive().probes());
        registration = loop.register(new NioHandle(channel, this::ready));
        interest(READ | WRITE);
    }

    private void ready(int events) {
        ready(
                (events & SelectionKey.OP_READ) != 0,
                (events & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT)) != 0,
                false,
                false);
    }

    private void keepalive(SocketOption<Integer> option, int value) throws IOException {
        if (channel.supportedOptions().contains(option)) {
            channel.setOption(option, value);
        }
    }

    @Override
    @Nullable FrontEnd originalDestination() {
        return null;
    }

    @Override
    void interest(int events) {
        if (registration == null || !channel.isOpen()) {
            return;
        }
        int wanted;
        if (channel.isConnectionPending()) {
            wanted = SelectionKey.OP_CONNECT;
        } else {
            wanted =
                    ((events & READ) != 0 ? SelectionKey.OP_READ : 0)
                            | ((events & WRITE) != 0 ? SelectionKey.OP_WRITE : 0);
        }
        if (wanted != interest) {
            interest = wanted;
            registration.submit(NioIoOps.valueOf(wanted));
        }
    }

    @Override
    @Nullable TcpInfo tcpInfo() {
        return null;
    }

    @Override
    int receive(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    int send(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    @Override
    void sendFin() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    void close() {
        if (registration != null) {
            registration.cancel();
        }
        try {
            channel.close();
        } catch (IOException e) {
            // The descriptor is gone all the same.
        }
    }

    @Override
    void reset() {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // Already dead: nobody is left to be told.
        }
        close();
    }
}
