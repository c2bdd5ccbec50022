package dev.sluice.app;

import dev.sluice.control.OpenListener;
import dev.sluice.control.ServiceListeners;
import dev.sluice.model.FrontEnd;
import dev.sluice.model.IpAddress;
import dev.sluice.model.LocalSources;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a person where each Service port can be reached, for {@code redirect = none}: without rules
 * nobody finds the listeners otherwise.
 *
 * <p>Threads: control thread only.
 */
final class LoggingServiceListeners implements ServiceListeners {
    private static final Logger log = LoggerFactory.getLogger(LoggingServiceListeners.class);

    private final ServiceListeners listeners;
    private final IpAddress address;

    /** What was logged last. */
    private final Map<ServicePortName, Place> places = new HashMap<>();

    private record Place(List<FrontEnd> frontEnds, int localPort) {}

    /**
     * @param address what the listeners are bound to
     */
    LoggingServiceListeners(ServiceListeners listeners, IpAddress address) {
        this.listeners = listeners;
        this.address = address;
    }

    @Override
    public OpenListener open(ServicePort servicePort) throws IOException {
        return tell(servicePort, listeners.open(servicePort));
    }

    @Override
    public OpenListener update(ServicePort servicePort) throws IOException {
        return tell(servicePort, listeners.update(servicePort));
    }

    @Override
    public SortedMap<ServicePortName, String> incomplete() {
        return listeners.incomplete();
    }

    @Override
    public void localSources(LocalSources sources) {
        listeners.localSources(sources);
    }

    @Override
    public void close(ServicePortName name) {
        listeners.close(name);
        Place place = places.remove(name);
        if (place != null) {
            log.info("{} closed, was {}", name, local(place.localPort()));
        }
    }

    private OpenListener tell(ServicePort servicePort, OpenListener listener) {
        int localPort = listener.port();
        Place place = new Place(servicePort.frontEnds(), localPort);
        if (!place.equals(places.put(servicePort.name(), place))) {
            String frontEnds =
                    place.frontEnds().stream()
                            .map(LoggingServiceListeners::asked)
                            .collect(Collectors.joining(" "));
            log.info("{} {} -> {}", servicePort.name(), frontEnds, local(localPort));
        }
        return listener;
    }

    /** Without the protocol, which the name has already. */
    private static String asked(FrontEnd frontEnd) {
        return frontEnd.address().withPort(frontEnd.port());
    }

    private String local(int port) {
        return address.withPort(port);
    }
}
