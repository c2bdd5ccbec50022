package dev.sluice.app;

import ch.qos.logback.classic.ClassicConstants;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;

/**
 * Where the log of the program goes and how its lines look, unless the system property {@code
 * logback.configurationFile} names other settings. Logback finds it as a service in the runnable
 * jar; the library has no such service, so that an application that embeds it keeps its own log.
 *
 * <p>In code, since a settings file costs the start an XML parser and three hundred classes of
 * Logback.
 *
 * <p>Threads: called once, by Logback.
 */
public final class ProgramLogLayout extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty(ClassicConstants.CONFIG_FILE_PROPERTY) != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{0} - %msg%n");
        encoder.start();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setName("stderr");
        console.setTarget(ConsoleTarget.SystemErr.getName());
        console.setEncoder(encoder);
        console.start();
        ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(console);
        context.getLogger(ProgramLog.SLUICE).setLevel(Level.INFO);
        // Each failed request with its stack trace; Sluice tells of them in a line.
        context.getLogger("io.fabric8").setLevel(Level.OFF);
        // Where the only interface is lo, as in a sandbox.
        context.getLogger("io.netty.util.internal.MacAddressUtil").setLevel(Level.ERROR);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
