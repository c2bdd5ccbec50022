package dev.sluice.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The log of the program, which {@link ProgramLogLayout} sets up. */
final class ProgramLog {
    static final String SLUICE = "dev.sluice";

    private ProgramLog() {}

    /** From now on the log of Sluice shows what happens to single connections, too. */
    static void showDetails() {
        setLevel(Level.DEBUG);
    }

    /** From now on it shows only what is wrong, unless details were asked for. */
    static void showWarnings() {
        if (!LoggerFactory.getLogger(SLUICE).isDebugEnabled()) {
            setLevel(Level.WARN);
        }
    }

    private static void setLevel(Level level) {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (factory instanceof LoggerContext context) {
            context.getLogger(SLUICE).setLevel(level);
        }
    }
}
