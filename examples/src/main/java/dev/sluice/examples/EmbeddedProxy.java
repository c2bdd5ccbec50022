package dev.sluice.examples;

import dev.sluice.app.ServiceProxy;
import dev.sluice.config.ProxyConfig;
import dev.sluice.control.ProgrammaticServiceSource;
import dev.sluice.model.Endpoint;
import dev.sluice.model.IpAddress;
import dev.sluice.model.Protocol;
import dev.sluice.model.ServicePort;
import dev.sluice.model.ServicePortName;
import dev.sluice.model.ServiceSnapshot;
import dev.sluice.model.SessionAffinity;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A proxy inside a test cluster: no root, no redirect rules, no files. The program says which
 * endpoints a Service has, and clients connect to the address that the proxy tells.
 */
public final class EmbeddedProxy {
    private static final ServicePortName HELLO =
            ServicePortName.of("default", "hello-world", "http", Protocol.TCP);

    private EmbeddedProxy() {}

    /** Serves two pods, then one, then none. */
    public static void main(String[] arguments) throws IOException {
        run(System.out);
    }

    static void run(PrintStream out) throws IOException {
        ProgrammaticServiceSource services = new ProgrammaticServiceSource();
        try (Backend blue = new Backend("blue");
                Backend green = new Backend("green")) {
            services.set(hello(blue.endpoint(), green.endpoint()));
            try (ServiceProxy proxy =
                    ServiceProxy.builder()
                            .config(ProxyConfig.embedded())
                            .source(services)
                            .start()) {
                InetSocketAddress address = proxy.localAddress(HELLO).orElseThrow();
                out.println("two endpoints: " + ask(address) + " " + ask(address));

                services.set(hello(green.endpoint()));
                proxy.settled().join();
                out.println("green only: " + ask(address) + " " + ask(address));

                services.set(hello());
                proxy.settled().join();
                out.println("no endpoint: " + ask(address));
            }
        }
    }

    private static ServiceSnapshot hello(Endpoint... endpoints) {
        IpAddress clusterIp = IpAddress.parse("192.0.2.10");
        return ServiceSnapshot.of(
                new ServicePort(
                        HELLO, List.of(clusterIp), 80, SessionAffinity.NONE, List.of(endpoints)));
    }

    private static String ask(InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (ConnectException e) {
            return "refused";
        }
    }
}
