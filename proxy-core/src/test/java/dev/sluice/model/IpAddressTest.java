package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0.0.0.0",
        "255.255.255.255, 255.255.255.255",
        "10.96.0.1, 10.96.0.1",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "fd00::10, fd00::10",
        "FD00::AbCd, fd00::abcd",
        "2001:0db8:0000:0000:0001:0000:0000:0001, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "64:ff9b::10.0.0.1, 64:ff9b::a00:1",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
    })
    void readsAnyFormAndWritesTheCanonicalOne(String text, String canonical) {
        assertThat(IpAddress.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "10.010.0.1",
                "010.8.0.1",
                "00.0.0.0",
                "10.8",
                "127.1",
                "2130706433",
                "0x7f.0.0.1",
                "10.0.0.256",
                "10.0.0.1.2",
                "10.0.0.",
                ".10.0.0.1",
                "10..0.1",
                "10.0.0.-1",
                "+10.0.0.1",
                "10.0.0.1 ",
                " 10.0.0.1",
                "10.0.0.1\n",
                "10.0.0.1/32",
                "10.0.0.1:80",
                "[::1]",
                "localhost",
                "web.default.svc",
                "١٠.0.0.1",
                "fe80::1%eth0",
                "fe80::1%1",
                "::ffff:10.0.0.1",
                "::ffff:a00:1",
                "0:0:0:0:0:FFFF:127.0.0.1",
                ":",
                ":::",
                "1:::2",
                "::1::",
                "1::2::3",
                ":1:2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7:8:",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4::5:6:7:8",
                "12345::",
                "g::",
                "::1.2.3",
                "::1.2.3.256",
                "::01.2.3.4",
                "1.2.3.4::",
                "::1.2.3.4:5",
                "1:2:3:4:5:6:7:1.2.3.4",
                ":: 1",
                "::1/128",
            })
    void refusesWhatTwoProgramsCouldReadDifferently(String text) {
        assertThatThrownBy(() -> IpAddress.parse(text))
                .isInstanceOf(MalformedAddressException.class)
                .hasMessageContaining("is not an IP address");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, LOOPBACK",
        "127.255.255.254, LOOPBACK",
        "::1, LOOPBACK",
        "128.0.0.1, NONE",
        "126.255.255.255, NONE",
        "::2, NONE",
        "169.254.169.254, LINK_LOCAL",
        "169.253.255.255, NONE",
        "fe80::1, LINK_LOCAL",
        "febf::1, LINK_LOCAL",
        "fec0::1, NONE",
        "224.0.0.1, MULTICAST",
        "239.255.255.255, MULTICAST",
        "240.0.0.1, NONE",
        "223.255.255.255, NONE",
        "ff02::1, MULTICAST",
        "fe00::1, NONE",
        "0.0.0.0, UNSPECIFIED",
        "::, UNSPECIFIED",
        "0.0.0.1, NONE",
        "255.255.255.255, BROADCAST",
        "255.255.255.254, NONE",
    })
    void knowsItsRange(String text, String range) {
        IpAddress address = IpAddress.parse(text);

        assertThat(
                        (address.isLoopback() ? "LOOPBACK" : "")
                                + (address.isLinkLocal() ? "LINK_LOCAL" : "")
                                + (address.isMulticast() ? "MULTICAST" : "")
                                + (address.isUnspecified() ? "UNSPECIFIED" : "")
                                + (address.isBroadcast() ? "BROADCAST" : ""))
                .isEqualTo(range.equals("NONE") ? "" : range);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5, 15, 17})
    void hasFourOrSixteenBytes(int length) {
        assertThatThrownBy(() -> IpAddress.of(new byte[length]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not " + length);
    }

    @Property
    void everyAddressIsReadFromItsOwnText(@ForAll @Size(4) byte[] v4, @ForAll @Size(16) byte[] v6) {
        for (byte[] bytes : new byte[][] {v4, v6}) {
            IpAddress address = IpAddress.of(bytes);

            assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
            assertThat(IpAddress.parse(address.toString().toUpperCase(Locale.ROOT)))
                    .isEqualTo(address)
                    .hasSameHashCodeAs(address);
            assertThat(address.toBytes()).isEqualTo(bytes);
        }
    }

    /** Few bits set, so that runs of zero groups of every length occur. */
    @Property
    void shortensTheFirstLongestRunOfZeroGroups(@ForAll int zeros) {
        byte[] bytes = new byte[16];
        for (int group = 0; group < 8; group++) {
            bytes[2 * group + 1] = (byte) (zeros >>> group & 1);
        }
        String text = IpAddress.of(bytes).toString();

        assertThat(IpAddress.parse(text).toBytes()).isEqualTo(bytes);
        int longest = longestZeroRun(bytes);
        assertThat(text.contains("::")).isEqualTo(longest > 1);
        if (longest > 1) {
            long groups = Arrays.stream(text.split(":")).filter(g -> !g.isEmpty()).count();
            assertThat(groups).isEqualTo(8 - longest);
            assertThat(text.substring(0, text.indexOf("::"))).doesNotContain(zeroRun(longest));
        }
    }

    @Property
    void agreesWithTheJdkAboutBytesAndRanges(
            @ForAll @Size(4) byte[] v4, @ForAll @Size(16) byte[] v6) throws UnknownHostException {
        for (byte[] bytes : new byte[][] {v4, v6}) {
            InetAddress jdk = InetAddress.getByAddress(bytes);
            IpAddress address = IpAddress.of(jdk);

            assertThat(address.toInetAddress()).isEqualTo(jdk);
            assertThat(address.isLoopback()).isEqualTo(jdk.isLoopbackAddress());
            assertThat(address.isLinkLocal()).isEqualTo(jdk.isLinkLocalAddress());
            assertThat(address.isMulticast()).isEqualTo(jdk.isMulticastAddress());
            assertThat(address.isUnspecified()).isEqualTo(jdk.isAnyLocalAddress());
            assertThat(address.family() == IpFamily.IPV4).isEqualTo(jdk instanceof Inet4Address);
        }
    }

    @Property
    void aMappedAddressOfASocketIsIpv4(@ForAll @Size(4) byte[] v4) {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(v4, 0, mapped, 12, 4);

        assertThat(IpAddress.of(mapped)).isEqualTo(IpAddress.of(v4));
    }

    @Property
    void isOrderedByFamilyAndThenByUnsignedValue(
            @ForAll @Size(16) byte[] a, @ForAll @Size(16) byte[] b, @ForAll @Size(4) byte[] v4) {
        assertThat(Integer.signum(IpAddress.of(a).compareTo(IpAddress.of(b))))
                .isEqualTo(Integer.signum(Arrays.compareUnsigned(a, b)));
        assertThat(IpAddress.of(v4)).isLessThan(IpAddress.of(a));
    }

    @Property
    void noTextMakesItFailInAnotherWay(@ForAll @StringLength(max = 45) String text) {
        try {
            IpAddress address = IpAddress.parse(text);
            assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
        } catch (MalformedAddressException e) {
            assertThat(e).hasMessageContaining(e.rule());
        }
    }

    @Property
    void noTextOfTheRightCharactersMakesItFailInAnotherWay(
            @ForAll @Chars({'0', '1', '2', '5', 'f', ':', '.'}) @StringLength(max = 20)
                    String text) {
        noTextMakesItFailInAnotherWay(text);
    }

    private static int longestZeroRun(byte[] bytes) {
        int longest = 0;
        int run = 0;
        for (int group = 0; group < 8; group++) {
            run = bytes[2 * group + 1] == 0 ? run + 1 : 0;
            longest = Math.max(longest, run);
        }
        return longest;
    }

    private static String zeroRun(int groups) {
        return String.join(":", Collections.nCopies(groups, "0"));
    }
}
