package dev.sluice.redirect;

import java.util.List;
import java.util.function.Consumer;

/**
 * Runs a program to its end.
 *
 * <p>Threads: any thread; blocks for a bounded time.
 */
interface Commands {
    /**
     * Starts the program without a shell, gives it {@code input} on stdin and waits for its end.
     *
     * @param command path of the program and its arguments
     * @throws RedirectException if it could not be started or did not end in time
     */
    Result run(List<String> command, String input) throws RedirectException;

    /**
     * The same for a program that reads nothing and may print more than is to be held at once.
     *
     * @param line is given each line of stdout, by one thread at a time, and by none once this
     *     method has returned
     * @return with nothing in {@link Result#output}
     */
    default Result lines(List<String> command, Consumer<String> line) throws RedirectException {
        Result result = run(command, "");
        result.output().lines().forEach(line);
        return new Result(result.exitCode(), "", result.errors());
    }

    /**
     * How a program ended. Immutable; any thread.
     *
     * @param exitCode 0 for success
     * @param output all of stdout
     * @param errors all of stderr
     */
    record Result(int exitCode, String output, String errors) {}
}
