package dev.sluice.app;

import dev.sluice.config.ConfigSources.Flag;
import dev.sluice.config.ProxyConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import picocli.CommandLine.Command;

/**
 * {@code sluice rehearse}: what {@code run} does from its start to a first connection, once from
 * manifests and once from an API server, all on loopback and in this process. A JVM that is told to
 * writes an archive of the classes that this takes; see the launcher.
 */
@Command(
        name = "rehearse",
        hidden = true,
        description = "Start, serve one connection and end, for an archive of classes.")
final class RehearseCommand implements Callable<Integer> {
    private static final String OWN_CLASSES = "dev/sluice/";
    private static final String CLASS = ".class";
    private static final int PATIENCE_MILLIS = 10_000;

    @Override
    public Integer call() throws Exception {
        ProgramLog.showWarnings();
        loadOwnClasses();
        try (HelloWorldPod pod = HelloWorldPod.start(1);
                RehearsalApiServer apiServer = RehearsalApiServer.start(pod.endpoint())) {
            Path manifest = Files.createTempFile("sluice-rehearsal", ".yaml");
            try {
                Files.writeString(manifest, apiServer.manifest());
                serve("manifests", manifest.toString());
            } finally {
                Files.delete(manifest);
            }
            serve("kubernetes.api-server", apiServer.address());
        }
        return ExitCodes.OK;
    }

    /** Those of the rules, too, which need rights that a build has not. */
    private static void loadOwnClasses() throws Exception {
        ClassLoader loader = RehearseCommand.class.getClassLoader();
        URI place =
                RehearseCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        try (JarFile jar = new JarFile(Path.of(place).toFile())) {
            for (String name : jar.stream().map(ZipEntry::getName).toList()) {
                if (name.startsWith(OWN_CLASSES) && name.endsWith(CLASS)) {
                    String type = name.substring(0, name.length() - CLASS.length());
                    if (!type.endsWith("package-info")) {
                        Class.forName(type.replace('/', '.'), false, loader);
                    }
                }
            }
        }
    }

    private static void serve(String sourceKey, String source) throws IOException {
        Map<String, String> noEnvironment = Map.of();
        List<Flag> flags = new ArrayList<>();
        flags.add(new Flag("rehearse", sourceKey, source));
        for (String setting :
                List.of(
                        "node.name=rehearsal",
                        "redirect.mode=none",
                        "dial.allow-loopback=true",
                        "kubernetes.events=false",
                        "health.address=none",
                        "admin.address=127.0.0.1:0")) {
            flags.add(Flag.set(setting));
        }
        ProxyConfig config = new ConfigOptions().load(noEnvironment, flags);
        try (ServiceProxy proxy =
                ServiceProxy.builder()
                        .config(config)
                        .source(Sources.of(config, noEnvironment))
                        .start()) {
            InetSocketAddress listener =
                    proxy.localAddress(RehearsalApiServer.SERVICE)
                            .orElseThrow(() -> new IOException(proxy.status().toString()));
            ask(listener, "/");
            InetSocketAddress admin = proxy.adminAddress().orElseThrow();
            ask(admin, "/metrics");
            ask(admin, "/readyz");
        }
    }

    private static void ask(InetSocketAddress server, String page) throws IOException {
        String address = server.getHostString() + ":" + server.getPort();
        URLConnection request =
                URI.create("http://" + address + page).toURL().openConnection(Proxy.NO_PROXY);
        request.setRequestProperty("Connection", "close");
        request.setConnectTimeout(PATIENCE_MILLIS);
        request.setReadTimeout(PATIENCE_MILLIS);
        try (InputStream body = request.getInputStream()) {
            body.readAllBytes();
        }
    }
}
