package dev.sluice.redirect;

import dev.sluice.model.IpAddress;
import dev.sluice.model.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A network interface of the node with its usable addresses.
 *
 * <p>Immutable; any thread.
 *
 * @param name as the kernel knows it; any text
 * @param index the kernel's number, at least 1
 * @param addresses those that others can reach (neither loopback nor link-local), the one to prefer
 *     first in each family
 */
record NodeInterface(String name, int index, List<IpAddress> addresses) {
    /**
     * Stricter than the kernel: it allows {@code +} at the end, which iptables reads as a wildcard,
     * and quotes.
     */
    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,14}");

    NodeInterface {
        addresses = List.copyOf(addresses);
    }

    /** Whether this is the loopback interface; its kernel name is fixed. */
    boolean isLoopback() {
        return name.equals("lo");
    }

    /** Whether the name may stand in a rule. */
    boolean hasPlainName() {
        return PLAIN_NAME.matcher(name).matches();
    }

    Optional<IpAddress> address(IpFamily family) {
        return addresses.stream().filter(address -> address.family() == family).findFirst();
    }
}
