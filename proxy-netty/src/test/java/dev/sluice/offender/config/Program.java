package dev.sluice.offender.config;

import picocli.CommandLine;

/** What a public class uses, so that it can not be left out where picocli is missing. */
final class Program {
    Object commandLine() {
        return new CommandLine(this);
    }
}
