package dev.sluice.app;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first SIGTERM, SIGINT or SIGHUP asks the program to end, the second one ends it at once. A
 * shutdown hook could not tell the two apart, nor let the program end with code 0.
 *
 * <p>{@code sun.misc.Signal} of the supported module {@code jdk.unsupported} (JEP 260) is called by
 * reflection, because javac warns of it in a way that can't be turned off for one class. A signal
 * that the process was started to ignore ({@code nohup}) stays ignored.
 *
 * <p>Threads: handlers run on threads of the JVM; all else on the thread that installed them.
 */
final class Signals implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Signals.class);
    private static final List<String> NAMES = List.of("TERM", "INT", "HUP");

    private final Thread interrupted;
    private final AtomicBoolean received = new AtomicBoolean();

    /** What was installed before, by the signal. */
    private final Map<Object, Object> earlier = new LinkedHashMap<>();

    private Signals(Thread interrupted) {
        this.interrupted = interrupted;
    }

    /** Installs handlers; the first signal interrupts the calling thread, whatever it waits for. */
    static Signals interruptingThisThread() {
        Signals signals = new Signals(Thread.currentThread());
        for (String name : NAMES) {
            signals.install(name);
        }
        return signals;
    }

    /** Whether a first signal came. */
    boolean received() {
        return received.get();
    }

    /** Waits for the first signal, and leaves the thread not interrupted. */
    void await() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            log.debug("interrupted");
        }
    }

    /** Puts the earlier handlers back. */
    @Override
    public void close() {
        earlier.forEach(
                (signal, handler) -> {
                    try {
                        handle(signal, handler);
                    } catch (ReflectiveOperationException e) {
                        log.warn("the handler of {} could not be put back", signal, e);
                    }
                });
        earlier.clear();
    }

    private void install(String name) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            int number = (Integer) signalType.getMethod("getNumber").invoke(signal);
            InvocationHandler handler =
                    (proxy, method, arguments) ->
                            switch (method.getName()) {
                                case "handle" -> {
                                    received(name, number);
                                    yield null;
                                }
                                case "equals" -> proxy == arguments[0];
                                case "hashCode" -> System.identityHashCode(proxy);
                                default -> "Signals " + name;
                            };
            Object proxy =
                    Proxy.newProxyInstance(
                            Signals.class.getClassLoader(), new Class<?>[] {handlerType}, handler);
            earlier.put(signal, handle(signal, proxy));
        } catch (ReflectiveOperationException e) {
            // -Xrs, or a system without this signal: the JVM then ends without draining.
            log.warn("SIG{} can't be handled: {}", name, String.valueOf(e.getCause()));
        }
    }

    private static Object handle(Object signal, Object handler)
            throws ReflectiveOperationException {
        return Class.forName("sun.misc.Signal")
                .getMethod("handle", signal.getClass(), Class.forName("sun.misc.SignalHandler"))
                .invoke(null, signal, handler);
    }

    private void received(String name, int number) {
        if (received.compareAndSet(false, true)) {
            log.info("SIG{}: ending; a second signal ends at once", name);
            interrupted.interrupt();
        } else {
            log.warn("SIG{} again: ended at once; redirect rules may be left", name);
            Runtime.getRuntime().halt(ExitCodes.SIGNAL_BASE + number);
        }
    }
}
