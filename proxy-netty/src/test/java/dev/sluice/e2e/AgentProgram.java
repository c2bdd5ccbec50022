package dev.sluice.e2e;

import java.io.EOFException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;

/** The process inside a namespace: tasks come in, results go out. Threads: one. */
final class AgentProgram {
    private AgentProgram() {}

    /** What a task ended with in place of a result. Immutable; any thread. */
    record Failure(String trace) implements Serializable {
        static Failure of(Throwable thrown) {
            StringWriter trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace, true));
            return new Failure(trace.toString());
        }
    }

    public static void main(String[] arguments) throws Exception {
        ObjectOutputStream results = new ObjectOutputStream(System.out);
        results.flush();
        // Whatever prints must not end up between the results.
        System.setOut(new PrintStream(System.err, true));
        ObjectInputStream tasks = new ObjectInputStream(System.in);
        Kept kept = new Kept();
        try {
            while (true) {
                Task<?> task = (Task<?>) tasks.readObject();
                results.writeObject(result(task, kept));
                results.reset();
                results.flush();
            }
        } catch (EOFException e) {
            kept.closeAll();
        }
    }

    private static Object result(Task<?> task, Kept kept) {
        try {
            return task.run(kept);
        } catch (Exception | AssertionError e) {
            return Failure.of(e);
        }
    }
}
