package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {
    @ParameterizedTest
    @CsvSource({
        "10.244.0.0/16, 10.244.0.0/16",
        "10.244.7.9/16, 10.244.0.0/16",
        "10.244.7.9/0, 0.0.0.0/0",
        "10.244.7.9/32, 10.244.7.9/32",
        "10.244.255.255/17, 10.244.128.0/17",
        "fd00:244::1/64, fd00:244::/64",
        "fd00:244:0:0:8000::/65, fd00:244:0:0:8000::/65",
        "fd00:244::1/128, fd00:244::1/128",
        "fd00:244::1/0, ::/0",
    })
    void bitsAfterThePrefixAreCleared(String text, String range) {
        assertThat(Cidr.parse(text)).hasToString(range);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "10.0.0.0",
                "10.0.0.0/",
                "10.0.0.0/33",
                "fd00::/129",
                "10.0.0.0/-1",
                "10.0.0.0/08",
                "10.0.0.0/8 ",
                "10.0.0/8",
                "010.0.0.0/8",
                "10.0.0.0/8/8",
                "a/8",
                "10.0.0.0/255.0.0.0",
                "::ffff:10.0.0.0/104",
                "10.0.0.0/1111"
            })
    void whatIsNoRangeIsRefused(String text) {
        assertThatThrownBy(() -> Cidr.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "10.244.0.0/16, 10.244.0.0, true",
        "10.244.0.0/16, 10.244.255.255, true",
        "10.244.0.0/16, 10.245.0.0, false",
        "10.244.0.0/16, 10.243.255.255, false",
        "0.0.0.0/0, 255.255.255.255, true",
        "0.0.0.0/0, ::1, false",
        "::/0, 10.0.0.1, false",
        "10.244.7.9/32, 10.244.7.8, false",
        "fd00::/63, fd00:0:0:1:ffff::, true",
        "fd00::/63, fd00:0:0:2::, false",
        "fd00::/65, fd00::7fff:0:0:0, true",
        "fd00::/65, fd00::8000:0:0:0, false",
    })
    void containsTheAddressesOfItsFamilyAndPrefix(String range, String address, boolean contained) {
        assertThat(Cidr.parse(range).contains(IpAddress.parse(address))).isEqualTo(contained);
    }

    @Test
    void aClientIsOnThisNodeByItsAddressThatOfItsPodsOrLoopback() {
        LocalSources sources =
                new LocalSources(
                        List.of(Cidr.parse("10.244.1.0/24")),
                        Set.of(IpAddress.parse("192.0.2.10")));

        assertThat(List.of("10.244.1.7", "192.0.2.10", "127.0.0.1", "::1"))
                .allSatisfy(
                        client ->
                                assertThat(sources.placeOf(IpAddress.parse(client)))
                                        .isEqualTo(ClientPlace.THIS_NODE));
        assertThat(List.of("10.244.2.7", "192.0.2.11", "fd00::1"))
                .allSatisfy(
                        client ->
                                assertThat(sources.placeOf(IpAddress.parse(client)))
                                        .isEqualTo(ClientPlace.ELSEWHERE));
    }

    @Test
    void aListOfOneFamilyAllowsNobodyOfTheOther() {
        SourceRanges four = SourceRanges.only(List.of(Cidr.parse("0.0.0.0/0")));

        assertThat(four.allows(IpAddress.parse("203.0.113.1"))).isTrue();
        assertThat(four.allows(IpAddress.parse("2001:db8::1"))).isFalse();
        assertThat(SourceRanges.only(List.of()).allows(IpAddress.parse("10.0.0.1"))).isFalse();
        assertThat(SourceRanges.ANY.allows(IpAddress.parse("10.0.0.1"))).isTrue();
    }
}
