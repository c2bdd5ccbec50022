package dev.sluice.netty;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.function.IntConsumer;

/**
 * Brings the events of one channel, as the operations of a selection key, from the event loop to
 * its socket.
 */
record NioHandle(SelectableChannel selectableChannel, IntConsumer onReady) implements NioIoHandle {
    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        onReady.accept(((NioIoEvent) event).ops().value());
    }

    @Override
    public void close() {
        try {
            selectableChannel.close();
        } catch (IOException e) {
            // The descriptor is gone all the same.
        }
    }
}
