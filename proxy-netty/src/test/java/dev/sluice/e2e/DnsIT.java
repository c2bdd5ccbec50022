package dev.sluice.e2e;

import static dev.sluice.e2e.Testbed.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.e2e.DnsLoad.Outcome;
import dev.sluice.e2e.DnsLoad.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Service of the cluster's names: UDP and TCP on one ClusterIP, asked by real clients. */
@Timeout(60)
class DnsIT {
    private static final String DNS4 = "10.96.0.10";
    private static final String DNS6 = "fd00:96::a";
    private static final InetSocketAddress SERVICE = new InetSocketAddress(DNS4, 53);
    private static final ServiceText KUBE_DNS =
            ServiceText.named("kube-dns", DNS4, DNS6)
                    .withPort("{name: dns, port: 53, targetPort: 8080, protocol: UDP}")
                    .withPort("{name: dns-tcp, port: 53, targetPort: 8080}");
    private static final String HERE = "node-1";
    private static final String A = "10.9.9.1";
    private static final String C = "10.9.9.3";

    /** Clients that wait for an answer at the same moment. */
    private static final int CLIENTS = 16;

    private static final Duration LOAD_LIMIT = Duration.ofSeconds(20);

    @RegisterExtension private final Testbed bed = new Testbed();

    @BeforeAll
    static void tools() {
        assumeTrue(
                DnsServer.areToolsInstalled(),
                "no dnsmasq or dig: whether names are resolved through a ClusterIP is not tested");
    }

    /** One pod behind a bridge and one behind a host route. */
    @BeforeEach
    void twoPods() throws Exception {
        bed.a().stopServing();
        bed.c().stopServing();
        DnsServer.serve(bed.a(), A);
        DnsServer.serve(bed.c(), C);
        apply(KUBE_DNS.with(bed.a(), HERE).with(bed.c(), HERE));
    }

    private void apply(ServiceText service) throws IOException {
        bed.write(service.name() + ".yaml", service.yaml());
    }

    @Test
    void digIsAnsweredOverBothProtocolsByTheAddressThatItAsks() throws Exception {
        bed.start();
        namesAreResolvedOverBothProtocols();
        anAnswerThatIsTooLargeForADatagramIsFetchedOverTcp();
    }

    private void namesAreResolvedOverBothProtocols() throws Exception {
        String web = "web.default.svc.cluster.local";

        for (Pod client : bed.clients()) {
            for (String dns : List.of(DNS4, DNS6)) {
                for (String protocol : List.of("UDP", "TCP")) {
                    String tcp = protocol.equals("TCP") ? "+tcp" : "+notcp";
                    Dig address = Dig.ask(client, dns, tcp, web, "A");
                    assertThat(address.records()).as(client + "").containsExactly("10.96.0.1");
                    assertThat(address.server()).isEqualTo(dns + "#53");
                    assertThat(address.protocol()).isEqualTo(protocol);
                    assertThat(Dig.ask(client, dns, tcp, web, "AAAA").records())
                            .containsExactly("fd00:96::1");
                }
            }
        }
        Pod client = bed.routedClient();
        assertThat(Dig.ask(client, DNS4, "_http._tcp." + web, "SRV").records())
                .containsExactly("0 0 80 " + web + ".");
        assertThat(Dig.ask(client, DNS4, "-x", "10.96.0.1").records()).containsExactly(web + ".");
        assertThat(Dig.ask(client, DNS4, "nobody.cluster.local").status()).isEqualTo("NXDOMAIN");
    }

    private void anAnswerThatIsTooLargeForADatagramIsFetchedOverTcp() throws Exception {
        for (Pod client : bed.clients()) {
            for (String plain : List.of("+noedns", "+bufsize=1232")) {
                Dig large = Dig.ask(client, DNS4, plain, DnsServer.LARGE, "TXT");
                assertThat(large.wasTruncated()).as(client + " " + plain).isTrue();
                assertThat(large.protocol()).isEqualTo("TCP");
                assertThat(large.text()).contains("\"last\"");
            }
            // In fragments, and whole.
            Dig whole = Dig.ask(client, DNS4, "+bufsize=4096", DnsServer.LARGE, "TXT");
            assertThat(whole.wasTruncated()).isFalse();
            assertThat(whole.protocol()).isEqualTo("UDP");
            assertThat(whole.size()).isGreaterThan(2_259);
            assertThat(whole.text()).contains("\"last\"");

            Dig huge = Dig.ask(client, DNS4, "+bufsize=4096", DnsServer.HUGE, "TXT");
            assertThat(huge.wasTruncated()).isTrue();
            assertThat(huge.protocol()).isEqualTo("TCP");
            assertThat(huge.size()).isGreaterThan(10_040);
            assertThat(huge.server()).isEqualTo(DNS4 + "#53");
        }
    }

    @Test
    void aCachingResolverForwardsThousandsOfQuestionsAndLosesNone() throws Exception {
        bed.start();
        Pod client = bed.bridgedClient();
        DnsServer.resolve(client, DNS4);
        InetSocketAddress resolver =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), DnsServer.RESOLVER_PORT);

        DnsLoad.start(client, resolver, Ports.FRESH, 2_000);
        awaitAnswers(client, Ports.FRESH, 3_000);
        Outcome outcome = DnsLoad.stop(client, Ports.FRESH);

        assertThat(outcome.lost()).isEmpty();
        assertThat(outcome.answers()).containsOnlyKeys(A, C);
        Dig large = Dig.ask(client, "127.0.0.1", DnsServer.LARGE, "TXT");
        assertThat(large.wasTruncated()).isTrue();
        assertThat(large.text()).contains("\"last\"");

        String known = "known.load.cluster.local";
        List<String> answer = Dig.ask(client, "127.0.0.1", known).records();
        apply(KUBE_DNS);
        DnsServer.kill(bed.a());
        DnsServer.kill(bed.c());
        assertThat(Dig.ask(client, "127.0.0.1", known).records()).isEqualTo(answer);
    }

    /** As a rolling update does it: the slice first, then the pod, which still answers a while. */
    @Test
    void noQuestionIsLostWhileAPodLeavesAndComesBack() throws Exception {
        bed.start();
        Pod client = bed.bridgedClient();
        startBoth(client);
        awaitBoth(client, 500);

        apply(KUBE_DNS.with(bed.c(), HERE));
        eventually(() -> assertThat(askers(client)).containsOnly(C));
        DnsServer.kill(bed.a());
        awaitBoth(client, 300);
        DnsServer.serve(bed.a(), A);
        apply(KUBE_DNS.with(bed.a(), HERE).with(bed.c(), HERE));
        eventually(() -> assertThat(askers(client)).contains(A));
        awaitBoth(client, 300);

        for (Ports ports : Ports.values()) {
            Outcome outcome = DnsLoad.stop(client, ports);
            assertThat(outcome.lost()).as(ports + " ports").isEmpty();
            assertThat(outcome.answers()).as(ports + " ports").containsOnlyKeys(A, C);
        }
    }

    /** Nobody has told the Service yet. */
    @Test
    void aPodThatDiesTakesAlongOnlyWhatItHad() throws Exception {
        bed.start();
        Pod client = bed.bridgedClient();
        startBoth(client);
        awaitBoth(client, 500);

        DnsServer.kill(bed.a());
        long gone = System.currentTimeMillis();
        awaitBoth(client, 1_000);
        DnsServer.serve(bed.a(), A);
        eventually(() -> assertThat(askers(client)).contains(A));

        for (Ports ports : Ports.values()) {
            Outcome outcome = DnsLoad.stop(client, ports);
            assertThat(outcome.lost())
                    .as(ports + " ports, gone at " + gone)
                    .hasSizeLessThanOrEqualTo(CLIENTS)
                    .allMatch(lost -> lost.askedMillis() <= gone);
            assertThat(outcome.answers()).as(ports + " ports").containsOnlyKeys(A, C);
        }
    }

    private static void startBoth(Pod client) throws IOException {
        for (Ports ports : Ports.values()) {
            DnsLoad.start(client, SERVICE, ports, 1_000);
        }
    }

    /** Waits for so many more answers to clients of either kind. */
    private static void awaitBoth(Pod client, int more) throws IOException {
        for (Ports ports : Ports.values()) {
            awaitAnswers(client, ports, DnsLoad.outcome(client, ports).answered() + more);
        }
    }

    private static void awaitAnswers(Pod client, Ports ports, int answers) {
        await().atMost(LOAD_LIMIT)
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(
                        () -> {
                            Outcome soFar = DnsLoad.outcome(client, ports);
                            assertThat(soFar.answered())
                                    .as(ports + " ports: " + soFar)
                                    .isGreaterThanOrEqualTo(answers);
                        });
    }

    /** Who answers four questions in turn. */
    private static List<String> askers(Pod client) throws Exception {
        return List.of(ask(client), ask(client), ask(client), ask(client));
    }

    private static String ask(Pod client) throws Exception {
        return String.join(" ", Dig.ask(client, DNS4, "who.load.cluster.local").records());
    }
}
