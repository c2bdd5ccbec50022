package dev.sluice.redirect;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs the commands and remembers their names. Threads: one thread. */
final class RecordingCommands implements Commands {
    private final Commands commands;
    private final List<String> programs = new ArrayList<>();

    RecordingCommands(Commands commands) {
        this.commands = commands;
    }

    @Override
    public Result run(List<String> command, String input) throws RedirectException {
        programs.add(Path.of(command.get(0)).getFileName().toString());
        return commands.run(command, input);
    }

    /** Programs run since the last call, without their folder. */
    List<String> take() {
        List<String> taken = List.copyOf(programs);
        programs.clear();
        return taken;
    }
}
