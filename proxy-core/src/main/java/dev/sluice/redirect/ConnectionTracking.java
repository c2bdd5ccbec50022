package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes flows follow the rules that came after their first packet. The kernel asks the nat table
 * about the first packet of a flow alone; a UDP client that goes on to send from one port stays
 * where that packet went, past a rule that came later, or at a port that nobody serves any more.
 *
 * <p>What is deleted is decided by what the kernel holds, never by what has changed: an entry of
 * one of our front ends that leads elsewhere than the rules do now. So nothing is deleted at a mere
 * restart (kubernetes#122740), and nothing is forgotten when a Service goes (kubernetes#141371). Of
 * TCP only attempts to connect that no rule led anywhere are deleted, since their retransmissions
 * would never be redirected.
 *
 * <p>Threads: control thread only.
 */
final class ConnectionTracking {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionTracking.class);

    /** What the program says, and ends with 1 as at any failure, if they have gone meanwhile. */
    private static final String GONE = " 0 flow entries have been deleted";

    private final Optional<Path> program;
    private final Commands commands;
    private boolean told;

    /**
     * @param program {@code conntrack}; empty where it is not installed
     */
    ConnectionTracking(Optional<Path> program, Commands commands) {
        this.program = program;
        this.commands = commands;
    }

    /**
     * Deletes the entries that contradict the rules of one family.
     *
     * @param now the rules that are in force
     * @param gone what has none any more
     * @param added front ends whose rules were not there before
     * @return number of kinds of entry deleted
     * @throws RedirectException if some could not be listed or deleted
     */
    int follow(IpFamily family, NatTargets now, LedAway gone, Set<FrontEnd> added)
            throws RedirectException {
        boolean servesUdp =
                Stream.of(now.redirects().keySet(), gone.frontEnds()).anyMatch(this::anyUdp);
        boolean udp = servesUdp || now.closed().isPresent() || !gone.addresses().isEmpty();
        boolean tcp = added.stream().anyMatch(frontEnd -> frontEnd.protocol() == Protocol.TCP);
        if (!udp && !tcp) {
            return 0;
        }
        if (program.isEmpty()) {
            tellOnce(servesUdp);
            return 0;
        }
        Set<TrackedFlow> stale = new HashSet<>();
        if (udp) {
            list(
                    family,
                    List.of("-p", "udp"),
                    flow -> {
                        if (now.contradicts(flow) || gone.explains(flow)) {
                            stale.add(flow);
                        }
                    });
        }
        if (tcp) {
            list(
                    family,
                    List.of("-p", "tcp", "--state", "SYN_SENT"),
                    flow -> {
                        if (flow.isDirect() && added.contains(flow.asked())) {
                            stale.add(flow);
                        }
                    });
        }
        Failures failures = new Failures();
        stale.forEach(flow -> failures.collect(() -> delete(family, flow)));
        failures.rethrow();
        return stale.size();
    }

    private boolean anyUdp(Set<FrontEnd> frontEnds) {
        return frontEnds.stream().anyMatch(frontEnd -> frontEnd.protocol() == Protocol.UDP);
    }

    /** A busy node has a million entries: they are looked at as they come and not held. */
    private void list(IpFamily family, List<String> which, Consumer<TrackedFlow> each)
            throws RedirectException {
        List<String> command = command(family, "-L", which);
        requireSuccess(
                command, commands.lines(command, line -> TrackedFlow.parse(line).ifPresent(each)));
    }

    private static void requireSuccess(List<String> command, Commands.Result result)
            throws RedirectException {
        if (result.exitCode() != 0) {
            throw new RedirectException(
                    String.join(" ", command) + " failed: " + result.errors().strip());
        }
    }

    /** All entries of a front end that lead to the same wrong place: those, and no others. */
    private void delete(IpFamily family, TrackedFlow flow) throws RedirectException {
        FrontEnd asked = flow.asked();
        List<String> which =
                new ArrayList<>(
                        List.of(
                                "-p",
                                asked.protocol().lowerCase(),
                                "--orig-dst",
                                asked.address().toString(),
                                "--orig-port-dst",
                                Integer.toString(asked.port()),
                                "--reply-src",
                                flow.source().toString(),
                                "--reply-port-src",
                                Integer.toString(flow.sourcePort())));
        if (asked.protocol() == Protocol.TCP) {
            which.addAll(List.of("--state", "SYN_SENT"));
        }
        List<String> command = command(family, "-D", which);
        // It prints each entry that it deletes.
        Commands.Result result = commands.lines(command, entry -> {});
        if (!result.errors().contains(GONE)) {
            requireSuccess(command, result);
        }
        LOG.debug(
                "{}: entries to {}:{} deleted: {}",
                asked,
                flow.source(),
                flow.sourcePort(),
                result);
    }

    private List<String> command(IpFamily family, String action, List<String> words) {
        return Stream.concat(
                        Stream.of(
                                program.orElseThrow().toString(),
                                action,
                                "-f",
                                family == IpFamily.IPV4 ? "ipv4" : "ipv6"),
                        words.stream())
                .toList();
    }

    private void tellOnce(boolean udp) {
        if (udp && !told) {
            told = true;
            LOG.warn(
                    "conntrack is not installed: a UDP client that sent to a Service before its rule"
                            + " existed, or goes on to send after the rule has changed, does not"
                            + " follow it until it is silent for 30 s");
        }
    }
}
