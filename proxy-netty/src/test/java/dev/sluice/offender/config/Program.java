package dev.sluice.offender.config;

import picocli.CommandLine;

/** May use picocli if it were in the program's package, but a public class uses it. */
final class Program {
    Object commandLine() {
        return new CommandLine(this);
    }
}
