package dev.sluice.redirect;

import java.util.List;

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
     * How a program ended. Immutable; any thread.
     *
     * @param exitCode 0 for success
     * @param output all of stdout
     * @param errors all of stderr
     */
    record Result(int exitCode, String output, String errors) {}
}
