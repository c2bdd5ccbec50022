package dev.sluice.netty;

import dev.sluice.model.IpAddress;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.NativeInetAddress;
import io.netty.channel.unix.Socket;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket that refuses by {@code shutdown(SHUT_RD)}: Linux then leaves the LISTEN state,
 * answers a SYN with RST, and keeps the port bound until {@code listen()} revives it.
 */
final class EpollListenSocket implements ListenSocket, EpollIoHandle {
    private final Socket socket;
    private final InetSocketAddress address;
    private final byte[] peer = new byte[25];
    private @Nullable ConnectionLoop loop;
    private Runnable onReady = () -> {};
    private @Nullable IoRegistration registration;

    EpollListenSocket(Socket socket) {
        this.socket = socket;
        // Asked for by any thread at any time, also when the descriptor is gone.
        this.address = socket.localAddress();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void listen(ConnectionLoop on, Runnable callback) throws IOException {
        try {
            socket.listen(NetUtil.SOMAXCONN);
        } catch (Errors.NativeIoException e) {
            throw EpollTransport.ifTaken(address, e);
        }
        loop = on;
        onReady = callback;
        resume();
    }

    @Override
    public void pause() {
        if (registration != null) {
            registration.cancel();
            registration = null;
        }
    }

    @Override
    public void resume() throws IOException {
        if (registration == null && loop != null) {
            registration = loop.register(this);
            registration.submit(EpollIoOps.EPOLLIN);
        }
    }

    /** A resume that is still to come must not register a descriptor that is closed by then. */
    private void leaveLoop() {
        pause();
        loop = null;
    }

    @Override
    public void refuse() throws IOException {
        // First, since a socket that left LISTEN hangs up without end.
        leaveLoop();
        // A fresh object: Socket remembers that it was shut down and would not do it a second time.
        new Socket(socket.intValue()).shutdown(true, false);
    }

    @Override
    public void awaitRefusal(ConnectionLoop on) {
        // The kernel refuses from the moment of the call.
    }

    @Override
    public @Nullable StreamSocket accept() throws IOException {
        int descriptor = socket.accept(peer);
        if (descriptor < 0) {
            return null;
        }
        InetSocketAddress from = NativeInetAddress.address(peer, 1, peer[0]);
        return new EpollStreamSocket(
                new Socket(descriptor), IpAddress.of(from.getAddress()), from.getPort());
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
        onReady.run();
    }

    @Override
    public FileDescriptor fd() {
        return socket;
    }

    @Override
    public void close() {
        leaveLoop();
        try {
            socket.close();
        } catch (IOException e) {
            // The descriptor is gone all the same (close(2)).
        }
    }
}
