package dev.sluice.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The log of the program, whose settings are in {@code logback-program.xml}. */
final class ProgramLog {
    private ProgramLog() {}

    /** From now on the log of Sluice shows what happens to single connections, too. */
    static void showDetails() {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (factory instanceof LoggerContext context) {
            context.getLogger("dev.sluice").setLevel(Level.DEBUG);
        }
    }
}
