package dev.sluice.redirect;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Programs as child processes in the C locale, killed when they do not end in time.
 *
 * <p>Text is ISO 8859-1 in both directions, so that a foreign rule's bytes survive a round trip.
 *
 * <p>Immutable; any thread.
 */
final class ProcessCommands implements Commands {
    /** How long pipes may stay open after the program's end: a grandchild may hold them. */
    private static final Duration PIPE_GRACE = Duration.ofSeconds(1);

    private static final Executor PIPES =
            task -> {
                Thread thread = new Thread(task, "sluice-command-pipe");
                thread.setDaemon(true);
                thread.start();
            };

    private final List<String> prefix;
    private final Duration timeLimit;

    /**
     * @param prefix words before each command, for instance {@code ip netns exec NAME}; usually
     *     none
     * @param timeLimit most time from a program's start to its end
     */
    ProcessCommands(List<String> prefix, Duration timeLimit) {
        this.prefix = List.copyOf(prefix);
        this.timeLimit = timeLimit;
    }

    @Override
    public Result run(List<String> command, String input) throws RedirectException {
        return run(command, input, ProcessCommands::all);
    }

    @Override
    public Result lines(List<String> command, Consumer<String> line) throws RedirectException {
        return run(
                command,
                "",
                stream -> {
                    new BufferedReader(new InputStreamReader(stream, ISO_8859_1))
                            .lines()
                            .forEach(line);
                    return "";
                });
    }

    /** Makes of a program's output what is kept of it. */
    private interface Reader {
        String read(InputStream stream) throws IOException;
    }

    private static String all(InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), ISO_8859_1);
    }

    private Result run(List<String> command, String input, Reader reader) throws RedirectException {
        String shown = String.join(" ", command);
        Process process = start(command, shown);
        try {
            CompletableFuture<String> output = read(process.getInputStream(), reader);
            CompletableFuture<String> errors = read(process.getErrorStream(), ProcessCommands::all);
            PIPES.execute(() -> write(process.getOutputStream(), input));
            if (!process.waitFor(timeLimit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new RedirectException(
                        shown + " did not end within " + timeLimit.toMillis() + " ms: killed");
            }
            return new Result(process.exitValue(), text(output), text(errors));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedirectException(shown + " was interrupted: killed", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new RedirectException("the output of " + shown + " could not be read", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private Process start(List<String> command, String shown) throws RedirectException {
        List<String> words = Stream.concat(prefix.stream(), command.stream()).toList();
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().put("LC_ALL", "C");
        try {
            return builder.start();
        } catch (IOException e) {
            throw new RedirectException(shown + " could not be started: " + e.getMessage(), e);
        }
    }

    private static CompletableFuture<String> read(InputStream stream, Reader reader) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (stream) {
                        return reader.read(stream);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                PIPES);
    }

    private static String text(CompletableFuture<String> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(PIPE_GRACE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void write(OutputStream stream, String input) {
        try (stream) {
            stream.write(input.getBytes(ISO_8859_1));
        } catch (IOException ignored) {
            // A program that ends before it has read everything says why by its exit code.
        }
    }
}
