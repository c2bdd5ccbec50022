package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import dev.sluice.model.Protocol;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
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

    /**
     * What rules led away and lead away no more.
     *
     * @param frontEnds with a rule of their own
     * @param addresses with all other ports
     */
    record Gone(Set<FrontEnd> frontEnds, Set<IpAddress> addresses) {
        boolean hasLed(TrackedFlow flow) {
            return !flow.isDirect()
                    && (frontEnds.contains(flow.asked())
                            || addresses.contains(flow.asked().address()));
        }
    }

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
     */
    int follow(IpFamily family, NatTargets now, Gone gone, Set<FrontEnd> added)
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
            list(family, List.of("-p", "udp"))
                    .filter(flow -> now.contradicts(flow) || gone.hasLed(flow))
                    .forEach(stale::add);
        }
        if (tcp) {
            list(family, List.of("-p", "tcp", "--state", "SYN_SENT"))
                    .filter(flow -> flow.isDirect() && added.contains(flow.asked()))
                    .forEach(stale::add);
        }
        for (TrackedFlow flow : stale) {
            delete(family, flow);
        }
        return stale.size();
    }

    private boolean anyUdp(Set<FrontEnd> frontEnds) {
        return frontEnds.stream().anyMatch(frontEnd -> frontEnd.protocol() == Protocol.UDP);
    }

    private Stream<TrackedFlow> list(IpFamily family, List<String> which) throws RedirectException {
        List<String> command = command(family, "-L", which);
        Commands.Result result = commands.run(command, "");
        if (result.exitCode() != 0) {
            throw new RedirectException(
                    String.join(" ", command) + " failed: " + result.errors().strip());
        }
        return result.output().lines().map(TrackedFlow::parse).flatMap(Optional::stream);
    }

    /** All entries of a front end that lead to the same wrong place: those, and no others. */
    private void delete(IpFamily family, TrackedFlow flow) throws RedirectException {
        FrontEnd asked = flow.asked();
        boolean attempt = asked.protocol() == Protocol.TCP;
        Commands.Result result =
                commands.run(
                        command(
                                family,
                                "-D",
                                Stream.concat(
                                                Stream.of(
                                                        "-p",
                                                        asked.protocol().lowerCase(),
                                                        "--orig-dst",
                                                        asked.address().toString(),
                                                        "--orig-port-dst",
                                                        Integer.toString(asked.port()),
                                                        "--reply-src",
                                                        flow.source().toString(),
                                                        "--reply-port-src",
                                                        Integer.toString(flow.sourcePort())),
                                                attempt
                                                        ? Stream.of("--state", "SYN_SENT")
                                                        : Stream.of())
                                        .collect(Collectors.toList())),
                        "");
        // Exit code 1 also says that the entry has gone by itself.
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
