package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.ProxyConfig;
import dev.sluice.config.ProxyConfig.Redirect.Flavour;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What the kernel of a fresh network namespace holds after each call. */
class IptablesRedirectRulesIT {
    private static final FrontEnd WEB4 = Rules.tcp("10.96.0.1", 80);
    private static final FrontEnd WEB6 = Rules.tcp("fd00:96::1", 80);
    private static final FrontEnd API4 = Rules.tcp("10.96.0.2", 443);
    private static final FrontEnd API6 = Rules.tcp("fd00:96::2", 443);
    private static final SortedSet<FrontEnd> REFUSED = Rules.refused(API4, API6);
    private static final RuleSet BOTH = new RuleSet(redirects(20001), REFUSED);

    private static final NodeNetwork NETWORK =
            new NodeNetwork(
                    List.of(
                            new NodeInterface(
                                    "eth0",
                                    2,
                                    List.of(
                                            IpAddress.parse("192.0.2.10"),
                                            IpAddress.parse("2001:db8::10")))),
                    Map.of(),
                    true);

    private static final String FOREIGN_NAT =
            """
            *nat
            :FOREIGN - [0:0]
            -A PREROUTING -i eth7 -j FOREIGN
            -A PREROUTING -p tcp -m comment --comment "a \\"quoted\\" one" -j FOREIGN
            -A OUTPUT -o eth7 -j RETURN
            COMMIT
            """;
    private static final String FOREIGN_FILTER =
            """
            *filter
            -A INPUT -i lo -j ACCEPT
            -A FORWARD -i eth7 -j DROP
            COMMIT
            """;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private Namespace namespace;
    private RecordingCommands commands;
    private long now;

    @TempDir Path programs;

    @BeforeEach
    void createNamespace() throws Exception {
        namespace = Namespace.create("rules-");
        commands = new RecordingCommands(namespace.commands());
        log.start();
        logger().addAppender(log);
        logger().setAdditive(false);
    }

    @AfterEach
    void removeNamespace() throws Exception {
        logger().detachAppender(log);
        logger().setAdditive(true);
        namespace.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void rulesStandBesideForeignOnesAndGoWithoutATrace(Flavour flavour) throws Exception {
        addForeignRules(flavour);
        String before = namespace.ruleset();
        IptablesRedirectRules rules = open(flavour);

        rules.replaceAll(BOTH);

        int refusing = refusingPort(flavour);
        assertThat(refusing).isNotEqualTo(20001);
        assertThat(table(flavour, "iptables", "nat").chains())
                .containsEntry(
                        "PREROUTING",
                        List.of(
                                "-j SLUICE-PREROUTING",
                                "-i eth7 -j FOREIGN",
                                "-p tcp -m comment --comment \"a \\\"quoted\\\" one\" -j FOREIGN"))
                .containsEntry("OUTPUT", List.of("-j SLUICE-REDIRECT", "-o eth7 -j RETURN"))
                .containsEntry(
                        "SLUICE-PREROUTING",
                        List.of("-i eth0 -j SLUICE-REDIRECT", "-j SLUICE-DNAT"))
                .containsEntry(
                        "SLUICE-REDIRECT",
                        List.of(
                                "-d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 20001",
                                "-d 10.96.0.2/32 -p tcp -m tcp --dport 443 -j REDIRECT --to-ports "
                                        + refusing))
                .containsEntry(
                        "SLUICE-DNAT",
                        List.of(
                                "-d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination 192.0.2.10:20001",
                                "-d 10.96.0.2/32 -p tcp -m tcp --dport 443 -j DNAT --to-destination 192.0.2.10:"
                                        + refusing));
        assertThat(table(flavour, "ip6tables", "nat").chains())
                .containsEntry(
                        "SLUICE-DNAT",
                        List.of(
                                "-d fd00:96::1/128 -p tcp -m tcp --dport 80 -j DNAT --to-destination [2001:db8::10]:20001",
                                "-d fd00:96::2/128 -p tcp -m tcp --dport 443 -j DNAT --to-destination [2001:db8::10]:"
                                        + refusing));
        rules.removeAll();

        assertThat(namespace.ruleset()).isEqualTo(before);
        rules.removeAll();
        assertThat(namespace.ruleset()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void theSameRulesAgainCostOneReadPerFamily(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(BOTH);
        commands.take();

        rules.replaceAll(BOTH);

        assertThat(commands.take())
                .containsExactly(
                        "iptables-" + suffix(flavour) + "-save",
                        "ip6tables-" + suffix(flavour) + "-save");
        assertThat(log.list).extracting(ILoggingEvent::getLevel).doesNotContain(Level.WARN);
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aChangeSoonAfterAReadIsWrittenWithoutAnother(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(BOTH);
        commands.take();
        now += Duration.ofSeconds(4).toNanos();

        rules.replaceAll(new RuleSet(redirects(20002), REFUSED));

        assertThat(commands.take()).noneMatch(program -> program.endsWith("-save"));
        assertThat(namespace.ruleset()).contains("20002").doesNotContain("20001");
        now += Duration.ofSeconds(2).toNanos();
        rules.replaceAll(BOTH);
        assertThat(commands.take()).contains("iptables-" + suffix(flavour) + "-save");
        assertThat(namespace.ruleset()).contains("20001").doesNotContain("20002");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void whatAnotherProgramDidSinceTheReadIsRepairedByTheWriteOrTheNextRead(Flavour flavour)
            throws Exception {
        RuleSet other = new RuleSet(redirects(20002), REFUSED);
        for (String change :
                List.of(
                        "-t nat -F SLUICE-DNAT",
                        "-t nat -F",
                        "-t nat -D OUTPUT -j SLUICE-REDIRECT",
                        "-t nat -I SLUICE-PREROUTING 1 -j RETURN")) {
            IptablesRedirectRules rules = open(flavour);
            rules.replaceAll(other);
            String expected = namespace.ruleset();
            rules.replaceAll(BOTH);
            namespace.run(iptables(flavour, change));

            rules.replaceAll(other);
            rules.replaceAll(other);

            assertThat(namespace.ruleset()).as(change).isEqualTo(expected);
            rules.removeAll();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aWriteThatFailsOnWhatAnotherProgramDidReadsAndWritesAgain(Flavour flavour)
            throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(BOTH);
        namespace.run(iptables(flavour, "-t nat -F"));
        namespace.run(iptables(flavour, "-t nat -X"));

        rules.replaceAll(RuleSet.EMPTY);

        assertThat(namespace.ruleset()).doesNotContain("SLUICE-");
        rules.replaceAll(BOTH);
        assertThat(namespace.ruleset()).contains("SLUICE-REDIRECT");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void amongThousandsAChangeWritesFewRulesAndTheSameAgainNone(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(flavour);
        SortedMap<FrontEnd, RedirectTarget> redirects = new TreeMap<>();
        for (int i = 0; i < 4_000; i++) {
            String tail = Integer.toHexString(i);
            redirects.put(
                    Rules.tcp("10.96." + i / 200 + "." + i % 200, 80), RedirectTarget.port(20001));
            redirects.put(Rules.tcp("fd00:96::" + tail, 80), RedirectTarget.port(20001));
        }
        rules.replaceAll(new RuleSet(redirects, Rules.refused()));
        redirects.put(Rules.tcp("10.96.7.250", 80), RedirectTarget.port(20002));
        redirects.remove(Rules.tcp("fd00:96::777", 80));

        rules.replaceAll(new RuleSet(redirects, Rules.refused()));

        assertThat(rules.counts().lastWritten().values())
                .hasSize(2)
                .allSatisfy(written -> assertThat(written).isBetween(1, 600));
        commands.take();
        rules.replaceAll(new RuleSet(redirects, Rules.refused()));
        assertThat(commands.take())
                .containsExactly(
                        "iptables-" + suffix(flavour) + "-save",
                        "ip6tables-" + suffix(flavour) + "-save");
        rules.removeAll();
        assertThat(namespace.ruleset()).doesNotContain("SLUICE-");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void whatOthersDoToTheRulesIsRepaired(Flavour flavour) throws Exception {
        addForeignRules(flavour);
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(BOTH);
        String intact = namespace.ruleset();

        for (String damage :
                List.of(
                        "-t nat -F SLUICE-REDIRECT",
                        "-t nat -D OUTPUT -j SLUICE-REDIRECT",
                        "-t nat -A OUTPUT -j SLUICE-REDIRECT",
                        "-t nat -A PREROUTING -p tcp -j SLUICE-DNAT",
                        "-t nat -A FOREIGN -g SLUICE-DNAT",
                        "-t nat -I SLUICE-PREROUTING 1 -j RETURN",
                        "-t nat -D SLUICE-PREROUTING 1",
                        "-t nat -N SLUICE-OTHER")) {
            for (String program : List.of("iptables-", "ip6tables-")) {
                namespace.run((program + suffix(flavour) + " " + damage).split(" "));
            }
            log.list.clear();

            rules.replaceAll(BOTH);

            assertThat(namespace.ruleset()).as(damage).isEqualTo(intact);
            assertThat(log.list)
                    .as(damage)
                    .extracting(ILoggingEvent::getLevel)
                    .contains(Level.WARN);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aJumpThatLostTheFirstPlaceGetsItBack(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(BOTH);
        String iptables = "iptables-" + suffix(flavour);
        namespace.run(iptables, "-t", "nat", "-I", "OUTPUT", "1", "-o", "eth7", "-j", "RETURN");

        rules.replaceAll(BOTH);

        assertThat(table(flavour, "iptables", "nat").rules("OUTPUT"))
                .containsExactly("-j SLUICE-REDIRECT", "-o eth7 -j RETURN");
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aFlushOfTheWholeTableIsRepaired(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(BOTH);
        String intact = namespace.ruleset();
        if (flavour == Flavour.NFT) {
            namespace.run("nft", "flush", "ruleset");
        } else {
            namespace.run("iptables-legacy", "-t", "nat", "-F");
            namespace.run("iptables-legacy", "-t", "nat", "-X");
        }

        rules.replaceAll(BOTH);

        assertThat(namespace.ruleset()).isEqualTo(intact);
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aHundredRestartsWithOtherPortsLeaveOneSetOfRules(Flavour flavour) throws Exception {
        open(flavour).replaceAll(new RuleSet(redirects(20000), Rules.refused()));
        String first = namespace.ruleset();

        for (int port = 20001; port <= 20100; port++) {
            open(flavour).replaceAll(new RuleSet(redirects(port), Rules.refused()));
        }

        assertThat(namespace.ruleset()).isEqualTo(first.replace("20000", "20100"));
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void noTableButNatIsTouched(Flavour flavour) throws Exception {
        open(flavour).replaceAll(BOTH);

        for (String program : List.of("iptables-", "ip6tables-")) {
            assertThat(SavedTable.parse(namespace.run(program + suffix(flavour) + "-save")))
                    .containsOnlyKeys("nat");
        }
    }

    @Test
    void theRefusingPortIsHeldAsLongAsRulesLeadThere() throws Exception {
        IptablesRedirectRules rules = open(Flavour.NFT);
        rules.replaceAll(BOTH);
        int refusing = refusingPort(Flavour.NFT);
        rules.replaceAll(new RuleSet(redirects(20002), REFUSED));
        assertThat(refusingPort(Flavour.NFT)).isEqualTo(refusing);
        assertThatThrownBy(() -> new ServerSocket(refusing).close())
                .isInstanceOf(BindException.class);

        rules.removeAll();

        new ServerSocket(refusing).close();
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void aTableThatFailsDoesNotStopTheOthersAndIsWrittenNextTime(Flavour flavour) throws Exception {
        String restore = "iptables-" + suffix(flavour) + "-restore";
        link("iptables-" + suffix(flavour) + "-save");
        link("ip6tables-" + suffix(flavour) + "-save");
        link("ip6tables-" + suffix(flavour) + "-restore");
        script(
                restore,
                """
                input=$(cat)
                case $input in '*nat'*) echo 'the disk is on fire' >&2; exit 2;; esac
                printf '%%s\\n' "$input" | /usr/sbin/%s "$@"
                """
                        .formatted(restore));
        IptablesRedirectRules rules = open(flavour, List.of(programs));

        assertThatThrownBy(() -> rules.replaceAll(BOTH))
                .isInstanceOf(RedirectException.class)
                .hasMessageContaining(restore + " --noflush -w 2 for table nat")
                .hasMessageContaining("failed with exit code 2: the disk is on fire");
        assertThat(table(flavour, "iptables", "nat").ownChains()).isEmpty();
        assertThat(table(flavour, "ip6tables", "nat").ownChains()).hasSize(3);

        Files.delete(programs.resolve(restore));
        link(restore);
        rules.replaceAll(BOTH);

        assertThat(table(flavour, "iptables", "nat").ownChains()).hasSize(3);
    }

    @Test
    void aLockThatIsHeldIsNamedAndNothingIsWrittenUntilItIsFree() throws Exception {
        IptablesRedirectRules rules = open(Flavour.LEGACY);
        rules.replaceAll(BOTH);
        String before = namespace.ruleset();
        RuleSet other = new RuleSet(redirects(20002), REFUSED);

        Process holder = holdLock();
        try {
            assertThatThrownBy(() -> rules.replaceAll(other))
                    .isInstanceOf(RedirectException.class)
                    .hasMessageContaining("/iptables-legacy-restore --noflush -w 2 for table nat")
                    .hasMessageContaining("held the xtables lock for 2 s (exit code 4)");
            assertThat(namespace.ruleset()).isEqualTo(before);
        } finally {
            holder.getOutputStream().close();
            holder.waitFor();
        }
        rules.replaceAll(other);

        assertThat(namespace.ruleset()).isEqualTo(before.replace("20001", "20002"));
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void rulesOfKubeProxyAreFoundInEitherFlavour(Flavour flavour) throws Exception {
        IptablesRedirectRules rules = open(Flavour.AUTO);
        rules.requireNoKubeProxy();
        namespace.restore(
                "iptables-" + suffix(flavour) + "-restore",
                """
                *nat
                :KUBE-SERVICES - [0:0]
                -A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                COMMIT
                """);

        assertThatThrownBy(rules::requireNoKubeProxy)
                .isInstanceOf(RedirectException.class)
                .hasMessageStartingWith("kube-proxy serves this node: iptables (")
                .hasMessageContaining("-j KUBE-SERVICES")
                .hasMessageContaining("redirect.beside-kube-proxy");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "ip6"})
    void tablesOfKubeProxyAreFoundWhereNftIsInstalled(String family) throws Exception {
        IptablesRedirectRules rules = open(Flavour.AUTO);
        namespace.run("nft", "add", "table", "inet", "kube-proxy");
        namespace.run("nft", "add", "table", family, "kube-proxy-not");
        rules.requireNoKubeProxy();
        namespace.run("nft", "add", "table", family, "kube-proxy");

        assertThatThrownBy(rules::requireNoKubeProxy)
                .isInstanceOf(RedirectException.class)
                .hasMessageStartingWith(
                        "kube-proxy serves this node: nft has the table '"
                                + family
                                + " kube-proxy'")
                .hasMessageContaining("redirect.beside-kube-proxy");

        link("iptables-nft-save");
        link("iptables-nft-restore");
        open(Flavour.NFT, List.of(programs)).requireNoKubeProxy();
    }

    @Test
    void autoTakesLegacyWhereOnlyItHoldsForeignRules() throws Exception {
        namespace.restore("iptables-legacy-restore", FOREIGN_NAT);

        open(Flavour.AUTO).replaceAll(BOTH);

        assertThat(table(Flavour.LEGACY, "iptables", "nat").ownChains()).hasSize(3);
        assertThat(table(Flavour.LEGACY, "ip6tables", "nat").ownChains()).hasSize(3);
        assertThat(table(Flavour.NFT, "iptables", "nat").ownChains()).isEmpty();
    }

    @Test
    void autoTakesTheSystemsFlavourWhereBothHoldForeignRules() throws Exception {
        namespace.restore("iptables-legacy-restore", FOREIGN_NAT);
        namespace.restore("iptables-nft-restore", FOREIGN_NAT);

        open(Flavour.AUTO).replaceAll(BOTH);

        assertThat(table(systemFlavour(), "iptables", "nat").ownChains()).hasSize(3);
    }

    @Test
    void rulesOfSluiceItselfDoNotMakeAFlavourTheOneInUse() throws Exception {
        Flavour system = systemFlavour();
        open(system == Flavour.NFT ? Flavour.LEGACY : Flavour.NFT).replaceAll(BOTH);

        open(Flavour.AUTO).replaceAll(BOTH);

        assertThat(table(system, "iptables", "nat").ownChains()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"LEGACY", "NFT"})
    void leftoversInTheOtherFlavourGoWithTheFirstWrite(Flavour flavour) throws Exception {
        Flavour former = flavour == Flavour.NFT ? Flavour.LEGACY : Flavour.NFT;
        addForeignRules(former);
        String before = namespace.ruleset();
        open(former).replaceAll(BOTH);

        IptablesRedirectRules rules = open(flavour);
        rules.replaceAll(BOTH);

        for (String program : List.of("iptables", "ip6tables")) {
            assertThat(table(former, program, "nat").ownChains()).isEmpty();
        }
        rules.removeAll();
        assertThat(namespace.ruleset()).isEqualTo(before);
    }

    @Test
    void legacyTablesThatNobodyUsesStayUnused() throws Exception {
        IptablesRedirectRules nft = open(Flavour.NFT);
        nft.requireNoKubeProxy();
        nft.replaceAll(BOTH);
        nft.removeAll();
        assertThat(legacyTables("ip")).isEmpty();

        IptablesRedirectRules legacy = open(Flavour.LEGACY);
        legacy.replaceAll(new RuleSet(Rules.redirect(WEB4, 20001), Rules.refused()));
        legacy.removeAll();

        assertThat(legacyTables("ip")).containsExactly("nat");
        assertThat(legacyTables("ip6")).isEmpty();
    }

    @Test
    void oneFlavourOfProgramsIsEnough() throws Exception {
        for (String name : List.of("iptables", "ip6tables")) {
            link(name + "-nft-save", name + "-save");
            link(name + "-nft-restore", name + "-restore");
        }
        String before = namespace.ruleset();
        IptablesRedirectRules rules = open(Flavour.AUTO, List.of(programs));

        rules.replaceAll(BOTH);
        assertThat(table(Flavour.NFT, "ip6tables", "nat").ownChains()).hasSize(3);

        rules.removeAll();
        assertThat(namespace.ruleset()).isEqualTo(before);
        assertThatThrownBy(() -> open(Flavour.LEGACY, List.of(programs)))
                .isInstanceOf(RedirectException.class)
                .hasMessageStartingWith("iptables-legacy-restore not found in PATH");
    }

    @Test
    void missingProgramsAreNamed() {
        assertThatThrownBy(() -> open(Flavour.AUTO, List.of(programs)))
                .isInstanceOf(RedirectException.class)
                .hasMessage(
                        "iptables-restore not found in PATH: install the iptables package, or run with redirect = none");
    }

    @Test
    void withoutIp6tablesIpv4GoesOnAndTheRestIsNamed() throws Exception {
        link("iptables-nft-save");
        link("iptables-nft-restore");
        IptablesRedirectRules rules = open(Flavour.NFT, List.of(programs));

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> rules.replaceAll(BOTH))
                    .isInstanceOf(UnservedFamilyException.class)
                    .hasMessage(
                            "IPv6 front ends have no rules: ip6tables-restore not found in PATH");
            assertThat(table(Flavour.NFT, "iptables", "nat").ownChains()).hasSize(3);
            assertThat(table(Flavour.NFT, "ip6tables", "nat").ownChains()).isEmpty();
        }
        assertThat(rules.isInForce(BOTH)).isFalse();
        assertThat(log.list).extracting(ILoggingEvent::getLevel).doesNotContain(Level.WARN);

        rules.replaceAll(new RuleSet(Rules.redirect(WEB4, 20001), Rules.refused()));
    }

    @Test
    void aFailureOfIpv4BesideAMissingIpv6IsAFailure() throws Exception {
        link("iptables-nft-save");
        script("iptables-nft-restore", "cat >/dev/null; echo 'no space' >&2; exit 2\n");
        IptablesRedirectRules rules = open(Flavour.NFT, List.of(programs));

        assertThatThrownBy(() -> rules.replaceAll(BOTH))
                .isExactlyInstanceOf(RedirectException.class)
                .hasMessageContaining("no space")
                .hasMessageContaining("ip6tables-restore not found in PATH");
    }

    @Test
    void withoutIpv6InTheKernelIpv4GoesOn() throws Exception {
        NodeNetwork ipv4Only = new NodeNetwork(NETWORK.interfaces(), Map.of(), false);
        IptablesRedirectRules rules =
                IptablesRedirectRules.open(
                        settings(Flavour.NFT),
                        commands,
                        IptablesPrograms.systemPath(),
                        () -> ipv4Only,
                        System::nanoTime);

        assertThatThrownBy(() -> rules.replaceAll(BOTH))
                .isInstanceOf(UnservedFamilyException.class)
                .hasMessage("IPv6 front ends have no rules: the kernel runs without IPv6");
        assertThat(table(Flavour.NFT, "iptables", "nat").ownChains()).hasSize(3);
        assertThat(table(Flavour.NFT, "ip6tables", "nat").ownChains()).isEmpty();
    }

    @Test
    void anOddInterfaceNameStaysOutOfTheRules() throws Exception {
        NodeNetwork odd =
                new NodeNetwork(
                        List.of(new NodeInterface("e+", 2, List.of(IpAddress.parse("192.0.2.10")))),
                        Map.of(),
                        true);
        IptablesRedirectRules rules =
                IptablesRedirectRules.open(
                        settings(Flavour.NFT),
                        commands,
                        IptablesPrograms.systemPath(),
                        () -> odd,
                        System::nanoTime);

        rules.replaceAll(BOTH);
        rules.replaceAll(BOTH);

        assertThat(table(Flavour.NFT, "iptables", "nat").rules("SLUICE-PREROUTING"))
                .containsExactly("-j SLUICE-DNAT");
        assertThat(log.list)
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("no rule names these interfaces, their names are odd: [e+]");
    }

    @Test
    void aConfiguredAddressIsWherePodsWithoutANumberedInterfaceGo() throws Exception {
        ProxyConfig.Redirect settings =
                new ProxyConfig.Redirect(
                        ProxyConfig.Redirect.Mode.IPTABLES,
                        Flavour.NFT,
                        Optional.of(IpAddress.parse("198.51.100.1")),
                        Optional.empty(),
                        Duration.ofSeconds(2),
                        false);
        IptablesRedirectRules.open(
                        settings,
                        commands,
                        IptablesPrograms.systemPath(),
                        () -> NETWORK,
                        System::nanoTime)
                .replaceAll(BOTH);

        assertThat(table(Flavour.NFT, "iptables", "nat").rules("SLUICE-DNAT"))
                .isNotEmpty()
                .allSatisfy(rule -> assertThat(rule).contains("--to-destination 198.51.100.1:"));
    }

    private static String[] iptables(Flavour flavour, String arguments) {
        return ("iptables-" + suffix(flavour) + " " + arguments).split(" ", -1);
    }

    private void addForeignRules(Flavour flavour) throws RedirectException {
        for (String program : List.of("iptables-", "ip6tables-")) {
            namespace.restore(program + suffix(flavour) + "-restore", FOREIGN_NAT);
            namespace.restore(program + suffix(flavour) + "-restore", FOREIGN_FILTER);
        }
    }

    private SavedTable table(Flavour flavour, String program, String table)
            throws RedirectException {
        return SavedTable.parse(namespace.run(program + "-" + suffix(flavour) + "-save"))
                .getOrDefault(table, SavedTable.EMPTY);
    }

    /** Where the rules lead what is refused. */
    private int refusingPort(Flavour flavour) throws RedirectException {
        String target = "--dport 443 -j REDIRECT --to-ports ";
        return table(flavour, "iptables", "nat").rules("SLUICE-REDIRECT").stream()
                .filter(rule -> rule.contains(target))
                .mapToInt(
                        rule ->
                                Integer.parseInt(
                                        rule.substring(rule.indexOf(target) + target.length())))
                .findFirst()
                .orElseThrow();
    }

    private List<String> legacyTables(String family) throws RedirectException {
        return namespace.run("cat", "/proc/net/" + family + "_tables_names").lines().toList();
    }

    private Flavour systemFlavour() throws RedirectException {
        return namespace.run("iptables-restore", "--version").contains("nf_tables")
                ? Flavour.NFT
                : Flavour.LEGACY;
    }

    /** A flock(2), as iptables takes it; Java's file locks are of another kind. */
    private Process holdLock() throws IOException {
        Process holder =
                new ProcessBuilder(
                                "flock",
                                namespace.lockFile().toString(),
                                "sh",
                                "-c",
                                "echo held; exec cat")
                        .start();
        assertThat(
                        new BufferedReader(
                                        new InputStreamReader(
                                                holder.getInputStream(), StandardCharsets.UTF_8))
                                .readLine())
                .isEqualTo("held");
        return holder;
    }

    private void link(String name) throws IOException {
        link(name, name);
    }

    /** Puts a program into the test's PATH under a name. */
    private void link(String program, String name) throws IOException {
        script(name, "exec /usr/sbin/" + program + " \"$@\"\n");
    }

    private void script(String name, String text) throws IOException {
        Path file = Files.writeString(programs.resolve(name), "#!/bin/sh\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private IptablesRedirectRules open(Flavour flavour) throws RedirectException {
        return open(flavour, IptablesPrograms.systemPath());
    }

    private IptablesRedirectRules open(Flavour flavour, List<Path> path) throws RedirectException {
        return IptablesRedirectRules.open(
                settings(flavour), commands, path, () -> NETWORK, () -> now);
    }

    private static ProxyConfig.Redirect settings(Flavour flavour) {
        return new ProxyConfig.Redirect(
                ProxyConfig.Redirect.Mode.IPTABLES,
                flavour,
                Optional.empty(),
                Optional.empty(),
                Duration.ofMillis(1_500),
                false);
    }

    private static SortedMap<FrontEnd, RedirectTarget> redirects(int port) {
        return new TreeMap<>(
                Map.of(
                        WEB4,
                        RedirectTarget.port(port),
                        WEB6,
                        RedirectTarget.port(port),
                        API4,
                        RedirectTarget.port(port),
                        API6,
                        RedirectTarget.port(port)));
    }

    private static String suffix(Flavour flavour) {
        return flavour == Flavour.LEGACY ? "legacy" : "nft";
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(IptablesRedirectRules.class.getPackageName());
    }
}
