package dev.sluice.netty;

import dev.sluice.balance.BackendSelector;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.Protocol;
import dev.sluice.netty.ConnectionCounters.Event;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The datagrams between one client address and port and one endpoint.
 *
 * <p>The endpoint has a socket of its own, connected to it, so that nobody else can answer and the
 * kernel tells when nobody listens there. Then the next endpoint is picked, as after a failed dial,
 * and a question that nobody has answered yet is asked there again.
 *
 * <p>Threads: its event loop only.
 */
final class UdpSession {
    private static final Logger log = LoggerFactory.getLogger(UdpSession.class);

    /** Datagrams kept while the socket to the endpoint is being made, which takes microseconds. */
    private static final int MOST_WAITING = 64;

    /** Longest question, in bytes, that is kept to be asked once more. */
    private static final int LONGEST_KEPT = 4096;

    private final UdpSessions sessions;
    private final UdpSocket socket;
    private final InetSocketAddress client;
    private final IpAddress clientAddress;
    private final BackendSelector selector;
    private final Set<Endpoint> tried = new HashSet<>();
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
    private @Nullable Endpoint endpoint;
    private @Nullable UdpChannel upstream;

    /** The last question, as long as no answer has come. */
    private @Nullable ByteBuf unanswered;

    private boolean replied;
    private boolean closed;
    private long lastUsed;
    private long bytesFromClient;
    private long bytesFromEndpoint;

    UdpSession(
            UdpSessions sessions,
            UdpSocket socket,
            InetSocketAddress client,
            IpAddress clientAddress,
            BackendSelector selector) {
        this.sessions = sessions;
        this.socket = socket;
        this.client = client;
        this.clientAddress = clientAddress;
        this.selector = selector;
        this.lastUsed = sessions.now();
    }

    UdpSocket socket() {
        return socket;
    }

    InetSocketAddress client() {
        return client;
    }

    /** Whether an endpoint has answered. */
    boolean isReplied() {
        return replied;
    }

    /** When the last datagram came, from either side. */
    long lastUsed() {
        return lastUsed;
    }

    /** Whether its client and endpoint are still right for each other. */
    boolean mayStay(UdpRoutes routes, LocalSources sources) {
        return endpoint == null || routes.keeps(client.getAddress(), endpoint, sources);
    }

    void fromClient(ByteBuf data) {
        lastUsed = sessions.now();
        bytesFromClient += data.readableBytes();
        keepQuestion(data);
        if (endpoint == null && !pick()) {
            return;
        }
        send(data);
    }

    private void keepQuestion(ByteBuf data) {
        if (!replied) {
            forgetQuestion();
            if (data.readableBytes() <= LONGEST_KEPT) {
                unanswered = data.copy();
            }
        }
    }

    private void forgetQuestion() {
        if (unanswered != null) {
            unanswered.release();
            unanswered = null;
        }
    }

    private void send(ByteBuf data) {
        UdpChannel open = upstream;
        if (open == null) {
            if (waiting.size() < MOST_WAITING) {
                waiting.add(data.copy());
            } else {
                socket.counters().count(Event.DATAGRAM_DROPPED);
            }
            return;
        }
        if (!open.channel().isWritable()) {
            socket.counters().count(Event.DATAGRAM_DROPPED);
            return;
        }
        write(open, UdpSocket.copy(open.channel(), data));
    }

    /** Takes the buffer over. */
    private void write(UdpChannel open, ByteBuf data) {
        if (!data.isReadable()) {
            data.release();
            try {
                open.empty().send(null);
            } catch (IOException e) {
                failed(open.channel(), e);
            }
            return;
        }
        open.channel()
                .writeAndFlush(data)
                .addListener(
                        written -> {
                            if (!written.isSuccess()) {
                                failed(open.channel(), written.cause());
                            }
                        });
    }

    /** Picks an endpoint that may be reached; false if there is none, and then it has ended. */
    private boolean pick() {
        Endpoint next = selector.select(clientAddress, tried).orElse(null);
        while (next != null && sessions.guard().forbids(next, Protocol.UDP).isPresent()) {
            socket.counters().count(Event.DIAL_FORBIDDEN);
            tried.add(next);
            next = selector.select(clientAddress, tried).orElse(null);
        }
        if (next == null) {
            socket.counters().count(Event.UNANSWERED);
            sessions.ended(this);
            return false;
        }
        endpoint = next;
        socket.counters().count(tried.isEmpty() ? Event.DIALLED : Event.DIAL_RETRIED);
        if (!tried.isEmpty()) {
            socket.counters().count(Event.DIALLED);
        }
        connect(next);
        return true;
    }

    private void connect(Endpoint to) {
        InetSocketAddress remote = new InetSocketAddress(to.address().toInetAddress(), to.port());
        UdpChannel opened;
        try {
            opened = sessions.transport().newUdpChannel(remote);
        } catch (IOException e) {
            localFault(e);
            return;
        }
        ChannelFuture connecting =
                new Bootstrap()
                        .group(sessions.eventLoop())
                        .channelFactory(opened::channel)
                        .handler(new Answers())
                        .disableResolver()
                        .connect(remote);
        connecting.addListener(
                done -> {
                    if (closed || !to.equals(endpoint)) {
                        var unused = opened.channel().close();
                    } else if (done.isSuccess()) {
                        connected(opened);
                    } else {
                        localFault(done.cause());
                    }
                });
    }

    private void connected(UdpChannel channel) {
        upstream = channel;
        for (ByteBuf data = waiting.poll(); data != null; data = waiting.poll()) {
            write(channel, data);
        }
    }

    /** No descriptor, no route: it says nothing about the endpoint. */
    private void localFault(Throwable cause) {
        socket.counters().count(Event.DIAL_LOCAL_FAULT);
        log.debug("{}: no socket to {}: {}", socket.address(), endpoint, cause.toString());
        sessions.ended(this);
    }

    private void failed(Channel from, Throwable cause) {
        if (closed || upstream == null || from != upstream.channel()) {
            return;
        }
        if (cause instanceof PortUnreachableException || isRefusal(cause)) {
            refused();
        } else {
            socket.counters().count(Event.DATAGRAM_DROPPED);
            log.debug("{}: to {}: {}", socket.address(), endpoint, cause.toString());
        }
    }

    /** A write reports the ICMP error of the one before as the native library's own exception. */
    private static boolean isRefusal(Throwable cause) {
        return cause instanceof SocketException
                ? !(cause instanceof BindException)
                : String.valueOf(cause.getMessage()).contains("Connection refused");
    }

    /** Nobody listens there: the next one, with the question if it has had no answer. */
    private void refused() {
        Endpoint lost = endpoint;
        if (lost == null) {
            return;
        }
        socket.counters().count(Event.DIAL_FAILED);
        selector.dialFailed(clientAddress, lost);
        tried.add(lost);
        leave();
        ByteBuf again = unanswered;
        if (again == null) {
            replied = false;
            return;
        }
        unanswered = null;
        try {
            if (pick()) {
                unanswered = again.retain();
                send(again);
            }
        } finally {
            again.release();
        }
    }

    private void answered(ByteBuf data) {
        lastUsed = sessions.now();
        bytesFromEndpoint += data.readableBytes();
        if (!replied) {
            replied = true;
            tried.clear();
            forgetQuestion();
            socket.counters().count(Event.SPLICED);
        }
        socket.answer(client, data);
    }

    private void leave() {
        endpoint = null;
        if (upstream != null) {
            var unused = upstream.channel().close();
            upstream = null;
        }
    }

    void countBytes() {
        if (bytesFromClient != 0 || bytesFromEndpoint != 0) {
            socket.counters().addBytes(bytesFromClient, bytesFromEndpoint);
            bytesFromClient = 0;
            bytesFromEndpoint = 0;
        }
    }

    /** Lets go of everything; {@link UdpSessions} calls it once. */
    void close() {
        closed = true;
        leave();
        forgetQuestion();
        for (ByteBuf data = waiting.poll(); data != null; data = waiting.poll()) {
            data.release();
        }
        countBytes();
    }

    private final class Answers extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            if (upstream != null && context.channel() == upstream.channel()) {
                answered(packet.content());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            socket.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failed(context.channel(), cause);
        }
    }
}
