package dev.sluice.app;

import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ServiceSource;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Stands in for the composition root until that is merged: it only has its signatures. */
public final class ServiceProxy implements AutoCloseable {
    private ServiceProxy() {}

    public static Builder builder() {
        return new Builder();
    }

    public Optional<InetSocketAddress> localAddress(ServicePortName name) {
        return Optional.empty();
    }

    public Set<ServicePortName> servicePorts() {
        return Set.of();
    }

    public String transportName() {
        return "none";
    }

    public void drain(Duration atMost) {}

    @Override
    public void close() {}

    /** See {@link ServiceProxy}. */
    public static final class Builder {
        private Builder() {}

        public Builder config(ProxyConfig config) {
            return this;
        }

        public Builder source(ServiceSource source) {
            return this;
        }

        public ServiceProxy start() throws IOException {
            return new ServiceProxy();
        }
    }
}
