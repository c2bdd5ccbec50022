package dev.sluice.model;

/** Rules of a port number that several values share. */
final class Ports {
    private Ports() {}

    static void check(int port) {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not in 1..65535");
        }
    }
}
