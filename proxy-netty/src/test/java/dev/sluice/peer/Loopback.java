package dev.sluice.peer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Addresses that never leave this machine.
 *
 * <p>Stateless; any thread.
 */
public final class Loopback {
    private Loopback() {}

    /** To bind to: any free port of 127.0.0.1. */
    public static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** One of 65536 addresses of 127.1.0.0/16, where nobody listens unless asked to. */
    public static InetSocketAddress numbered(int number, int port) {
        byte[] address = {127, 1, (byte) (number >> 8), (byte) number};
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }
}
