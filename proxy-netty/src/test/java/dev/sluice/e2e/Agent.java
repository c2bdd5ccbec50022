package dev.sluice.e2e;

import dev.sluice.redirect.Namespace;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A Java process inside a network namespace that runs tasks, one after another.
 *
 * <p>Threads: one at a time.
 */
final class Agent implements AutoCloseable {
    private final Process process;
    private final ObjectOutputStream tasks;
    private final ObjectInputStream results;

    private Agent(Process process) throws IOException {
        this.process = process;
        this.tasks = new ObjectOutputStream(process.getOutputStream());
        tasks.flush();
        this.results = new ObjectInputStream(process.getInputStream());
    }

    static Agent start(Namespace namespace) throws IOException {
        List<String> command = new ArrayList<>(namespace.prefix());
        command.addAll(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AgentProgram.class.getName()));
        return new Agent(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /**
     * Runs a task in there and waits for its end.
     *
     * @throws IOException if the process is gone
     */
    @SuppressWarnings("unchecked") // of the task's type
    <T> T call(Task<T> task) throws IOException {
        try {
            tasks.writeObject(task);
            tasks.reset();
            tasks.flush();
            Object result = results.readObject();
            if (result instanceof AgentProgram.Failure failure) {
                throw new AssertionError("inside the pod: " + failure.trace());
            }
            return (T) result;
        } catch (ClassNotFoundException e) {
            throw new IOException("the class path of the agent is not that of the test", e);
        }
    }

    /** The process inside ends with its input. */
    @Override
    public void close() throws IOException {
        tasks.close();
        process.destroy();
    }
}
