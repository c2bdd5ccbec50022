package dev.sluice.redirect;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the nat table shall hold for front ends of one family.
 *
 * <p>REDIRECT gives a packet the address of the interface it came in through, so it drops what
 * comes in through an interface without one, as many network plugins give pods. Those packets go to
 * an address of the node by DNAT.
 *
 * <p>A UDP socket can't be asked what its clients asked for, so it is bound to one address, and all
 * packets to its front ends go there by DNAT: its answers then leave from the address that
 * connection tracking turns into the one asked.
 *
 * <p>Whoever asks a ClusterIP for a port that it has not is refused, as by a host, in place of
 * waiting for what the packet finds on the way out of the cluster.
 *
 * <p>Threads: stateless; any thread.
 */
final class NatRules {
    static final String TABLE = "nat";

    private static final String PREROUTING = TableRules.CHAIN_PREFIX + "PREROUTING";
    private static final String REDIRECT = TableRules.CHAIN_PREFIX + "REDIRECT";
    private static final String DNAT = TableRules.CHAIN_PREFIX + "DNAT";
    private static final String OUTPUT = TableRules.CHAIN_PREFIX + "OUTPUT";

    /** Leads to sockets that are bound to one address, from wherever a packet comes. */
    static final String SOCKET = TableRules.CHAIN_PREFIX + "SOCKET";

    /** Addresses whose other ports are refused. */
    static final String OTHER = TableRules.CHAIN_PREFIX + "OTHER";

    static final String REFUSE = TableRules.CHAIN_PREFIX + "REFUSE";

    private NatRules() {}

    /**
     * @param targets where front ends of one family lead, and what is refused beside them
     * @param numbered names of the interfaces that have an address of the family, valid in a rule
     * @param node where packets from other interfaces go; empty: they are left alone
     */
    static TableRules of(NatTargets targets, List<String> numbered, Optional<IpAddress> node) {
        SortedMap<FrontEnd, RedirectTarget> redirects = targets.redirects();
        Optional<ClosedPorts> closed = targets.closed();
        if (redirects.isEmpty()) {
            return TableRules.none(TABLE);
        }
        SortedMap<FrontEnd, RedirectTarget> ports = new TreeMap<>(redirects);
        ports.values().removeIf(target -> target.address().isPresent());
        SortedMap<FrontEnd, RedirectTarget> sockets = new TreeMap<>(redirects);
        sockets.values().removeIf(target -> target.address().isEmpty());
        SortedMap<String, List<String>> chains = new TreeMap<>();
        List<String> prerouting = new ArrayList<>();
        List<String> output = new ArrayList<>();
        if (!sockets.isEmpty()) {
            chains.putAll(chains(SOCKET, sockets, NatRules::dnat));
            output.add("-j " + SOCKET);
            prerouting.add("-j " + SOCKET);
        }
        numbered.forEach(name -> prerouting.add("-i " + name + " -j " + REDIRECT));
        output.add("-j " + REDIRECT);
        chains.putAll(chains(REDIRECT, ports, target -> "REDIRECT --to-ports " + target.port()));
        if (node.isPresent()) {
            prerouting.add("-j " + DNAT);
            chains.putAll(
                    chains(
                            DNAT,
                            ports,
                            target -> dnat(RedirectTarget.socket(node.get(), target.port()))));
        }
        if (closed.isPresent()) {
            output.add("-j " + OTHER);
            prerouting.add("-j " + OTHER);
            SortedMap<IpAddress, List<String>> others = new TreeMap<>();
            for (IpAddress address : closed.get().addresses()) {
                others.put(address, List.of(match(address) + " -j " + REFUSE));
            }
            chains.putAll(PrefixChains.of(OTHER, List.of(), others));
            chains.put(
                    REFUSE,
                    List.of(
                            "-p tcp -j " + dnat(closed.get().tcp()),
                            "-p udp -j " + dnat(closed.get().udp())));
        }
        chains.put(PREROUTING, prerouting);
        if (output.size() > 1) {
            chains.put(OUTPUT, output);
        }
        return new TableRules(
                TABLE,
                chains,
                new TreeMap<>(
                        Map.of(
                                "PREROUTING",
                                PREROUTING,
                                "OUTPUT",
                                output.size() > 1 ? OUTPUT : REDIRECT)));
    }

    private static String dnat(RedirectTarget target) {
        return "DNAT --to-destination " + target.address().orElseThrow().withPort(target.port());
    }

    /** What a place is written as in a rule's target. */
    private interface Target {
        String to(RedirectTarget place);
    }

    private static SortedMap<String, List<String>> chains(
            String chain, SortedMap<FrontEnd, RedirectTarget> redirects, Target target) {
        SortedMap<IpAddress, List<String>> rules = new TreeMap<>();
        redirects.forEach(
                (frontEnd, place) ->
                        rules.computeIfAbsent(frontEnd.address(), address -> new ArrayList<>())
                                .add(match(frontEnd) + " -j " + target.to(place)));
        return PrefixChains.of(chain, List.of(), rules);
    }

    /** The match of a front end's packets, word for word as iptables-save writes it. */
    static String match(FrontEnd frontEnd) {
        String protocol = frontEnd.protocol().lowerCase();
        return "%s -p %s -m %s --dport %d"
                .formatted(match(frontEnd.address()), protocol, protocol, frontEnd.port());
    }

    private static String match(IpAddress address) {
        return "-d " + address + "/" + address.family().bits();
    }
}
