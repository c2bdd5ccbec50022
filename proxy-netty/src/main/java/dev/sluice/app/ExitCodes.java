package dev.sluice.app;

/** How the program ends. */
final class ExitCodes {
    static final int OK = 0;
    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int INVALID_CONFIG = 3;

    /** Added to the number of the signal that ended the program, as shells do. */
    static final int SIGNAL_BASE = 128;

    private ExitCodes() {}
}
