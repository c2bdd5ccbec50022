package dev.sluice.app;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice demo}. */
@Command(
        name = "demo",
        description =
                "Show the proxy at work on a Service with two pods, all in this process: round"
                        + " robin, session affinity, a pod that stops.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  sluice demo           # goes on, to be tried with curl",
            "  sluice demo --once    # ends with one line: 'demo: ok, …' or 'demo: FAILED, …'",
            "As root on Linux with iptables the Service has a ClusterIP, 192.0.2.10."
        })
final class DemoCommand implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(names = "--once", description = "Show everything once, then end.")
    private boolean once;

    @Override
    public Integer call() throws Exception {
        ProgramLog.showWarnings();
        try (Signals signals = Signals.interruptingThisThread()) {
            return show(signals);
        }
    }

    private int show(Signals signals) {
        PrintWriter out = spec.commandLine().getOut();
        try (Demo demo = Demo.start(out)) {
            boolean ok = demo.show();
            if (ok && !once) {
                demo.invite();
                signals.await();
            }
            return ok ? ExitCodes.OK : ExitCodes.FAILED;
        } catch (IOException e) {
            if (signals.received()) {
                return ExitCodes.OK;
            }
            out.println("demo: FAILED, " + e.getMessage());
            out.flush();
            return ExitCodes.FAILED;
        }
    }
}
