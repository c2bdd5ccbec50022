package dev.sluice.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import java.net.NetworkInterface;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DialGuardTest {
    private static final ServicePort WEB = Services.servicePort("web");
    private static final ServicePort WEB_WITH_ENDPOINT =
            Services.servicePort("web", Services.address("10.0.0.7", 8080));
    private static final ServicePort OTHER = Services.servicePort("other");

    private final DialGuard guard = new DialGuard(false);

    private static Endpoint endpoint(String address, int port) {
        return new Endpoint(IpAddress.parse(address), port);
    }

    private static Endpoint vip(ServicePort servicePort) {
        return new Endpoint(servicePort.clusterIps().get(0), servicePort.port());
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, a loopback address",
        "127.255.255.254, a loopback address",
        "::1, a loopback address",
        "169.254.0.1, a link-local address",
        "169.254.169.254, a link-local address",
        "fe80::1, a link-local address",
        "febf::1, a link-local address",
        "224.0.0.1, no address of one host",
        "239.255.255.255, no address of one host",
        "ff02::1, no address of one host",
        "255.255.255.255, no address of one host",
        "0.0.0.0, the unspecified address",
        "::, the unspecified address",
    })
    void noAddressOfTheNodeOrOfNobodyIsDialled(String address, String reason) {
        assertThat(guard.forbids(endpoint(address, 80), Protocol.TCP)).contains(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1", "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0",
                "223.255.255.255", "::2", "fd00::1", "fec0::1", "2001:db8::1"
            })
    void anAddressBesideThemIsDialled(String address) {
        assertThat(guard.forbids(endpoint(address, 80), Protocol.TCP)).isEmpty();
    }

    @Test
    void loopbackIsDialledWhereItIsAllowed() {
        DialGuard allowing = new DialGuard(true);
        assertThat(allowing.forbids(endpoint("127.0.0.1", 80), Protocol.TCP)).isEmpty();
        assertThat(allowing.forbids(endpoint("::1", 80), Protocol.TCP)).isEmpty();
        assertThat(allowing.forbids(endpoint("169.254.0.1", 80), Protocol.TCP)).isPresent();
    }

    @Test
    void aFrontEndIsDialledByNoServiceUntilItIsGone() {
        guard.add(WEB, Set.of(20_001));
        guard.add(OTHER, Set.of(20_002));
        assertThat(guard.forbids(vip(WEB), Protocol.TCP)).contains("a front end of a Service");
        assertThat(guard.forbids(vip(OTHER), Protocol.TCP)).contains("a front end of a Service");
        guard.remove(WEB, Set.of(20_001));
        assertThat(guard.forbids(vip(WEB), Protocol.TCP)).isEmpty();
        assertThat(guard.forbids(vip(OTHER), Protocol.TCP)).isPresent();
    }

    @Test
    void anotherPortOfAFrontEndsAddressIsNone() {
        guard.add(WEB, Set.of(20_001));
        assertThat(guard.forbids(new Endpoint(WEB.clusterIps().get(0), 81), Protocol.TCP))
                .isEmpty();
    }

    @Test
    void aFrontEndThatWasTakenOverStays() {
        guard.add(WEB, Set.of(20_001));
        guard.add(WEB_WITH_ENDPOINT, Set.of(20_002));
        guard.remove(WEB, Set.of(20_001));
        assertThat(guard.forbids(vip(WEB), Protocol.TCP)).isPresent();
    }

    @Test
    void aListenerIsNotDialledOnAnyAddressOfTheNode() throws Exception {
        DialGuard allowing = new DialGuard(true);
        allowing.add(WEB, Set.of(20_001));
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .map(IpAddress::of)
                .filter(address -> !address.isLinkLocal())
                .forEach(
                        address ->
                                assertThat(
                                                allowing.forbids(
                                                        new Endpoint(address, 20_001),
                                                        Protocol.TCP))
                                        .contains("a listener of this proxy"));
        assertThat(allowing.forbids(endpoint("127.0.0.9", 20_001), Protocol.TCP)).isPresent();
        assertThat(allowing.forbids(endpoint("127.0.0.1", 20_002), Protocol.TCP)).isEmpty();
        assertThat(allowing.forbids(endpoint("192.0.2.200", 20_001), Protocol.TCP)).isEmpty();
        allowing.remove(WEB, Set.of(20_001));
        assertThat(allowing.forbids(endpoint("127.0.0.1", 20_001), Protocol.TCP)).isEmpty();
    }

    @Test
    void aReplacedValueForgetsWhatItsSuccessorHasNot() {
        DialGuard allowing = new DialGuard(true);
        allowing.add(WEB, Set.of(20_001));
        allowing.replace(WEB, Set.of(20_001), WEB_WITH_ENDPOINT, Set.of(20_002));
        assertThat(allowing.forbids(vip(WEB), Protocol.TCP)).isPresent();
        assertThat(allowing.forbids(endpoint("127.0.0.1", 20_001), Protocol.TCP))
                .isEqualTo(Optional.empty());
        assertThat(allowing.forbids(endpoint("127.0.0.1", 20_002), Protocol.TCP)).isPresent();
        allowing.replace(WEB_WITH_ENDPOINT, Set.of(20_002), OTHER, Set.of(20_002));
        assertThat(allowing.forbids(vip(WEB), Protocol.TCP)).isEmpty();
        assertThat(allowing.forbids(vip(OTHER), Protocol.TCP)).isPresent();
    }

    @Test
    void aValueThatIsReplacedByItsEqualStaysForbidden() {
        DialGuard allowing = new DialGuard(true);
        allowing.add(WEB, Set.of(20_001));
        allowing.replace(WEB, Set.of(20_001), Services.servicePort("web"), Set.of(20_001));
        assertThat(allowing.forbids(vip(WEB), Protocol.TCP)).isPresent();
        assertThat(allowing.forbids(endpoint("127.0.0.1", 20_001), Protocol.TCP)).isPresent();
    }

    /** One number on several addresses: each family has its own, and so may another Service. */
    @Test
    void aPortIsForbiddenAsLongAsAnySocketHasIt() {
        DialGuard allowing = new DialGuard(true);
        Endpoint listener = endpoint("127.0.0.1", 20_001);
        allowing.add(WEB, Set.of(20_001, 20_002));
        allowing.add(OTHER, Set.of(20_001));
        allowing.replace(WEB, Set.of(20_001, 20_002), WEB_WITH_ENDPOINT, Set.of(20_002, 20_003));
        assertThat(allowing.forbids(listener, Protocol.TCP)).isPresent();
        allowing.remove(OTHER, Set.of(20_001));
        assertThat(allowing.forbids(listener, Protocol.TCP)).isEmpty();
        assertThat(allowing.forbids(endpoint("127.0.0.1", 20_002), Protocol.TCP)).isPresent();
        assertThat(allowing.forbids(endpoint("127.0.0.1", 20_003), Protocol.TCP)).isPresent();
        assertThat(allowing.forbids(endpoint("127.0.0.1", 20_002), Protocol.UDP)).isEmpty();
    }
}
