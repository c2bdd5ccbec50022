package dev.sluice.kubernetes;

import dev.sluice.model.Cidr;
import dev.sluice.model.IpAddress;
import dev.sluice.redirect.NodeAddresses;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A kernel whose network is as the test says; its first address is the primary one.
 *
 * <p>Threads: one changes, any read.
 */
final class FixedKernel implements NodeKernel {
    private volatile List<IpAddress> addresses;
    private volatile @Nullable IOException failure;
    private final Map<String, List<Cidr>> routes = new TreeMap<>();

    FixedKernel(String... addresses) {
        this.addresses = parsed(addresses);
    }

    void setAddresses(String... now) {
        addresses = parsed(now);
    }

    void setRoutes(String interfaceName, String... ranges) {
        routes.put(interfaceName, Stream.of(ranges).map(Cidr::parse).toList());
    }

    /** From now on it answers nothing. */
    void fail(IOException thrown) {
        failure = thrown;
    }

    @Override
    public NodeAddresses addresses() throws IOException {
        throwFailure();
        return new NodeAddresses(addresses, addresses.stream().limit(1).toList());
    }

    @Override
    public List<Cidr> routedThrough(Predicate<String> interfaceName) throws IOException {
        throwFailure();
        List<Cidr> through = new ArrayList<>();
        routes.forEach(
                (name, ranges) -> {
                    if (interfaceName.test(name)) {
                        through.addAll(ranges);
                    }
                });
        return through;
    }

    private void throwFailure() throws IOException {
        IOException thrown = failure;
        if (thrown != null) {
            throw thrown;
        }
    }

    private static List<IpAddress> parsed(String... texts) {
        return Stream.of(texts).map(IpAddress::parse).toList();
    }
}
