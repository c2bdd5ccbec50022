package dev.sluice.offender.model;

import ch.qos.logback.classic.Level;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.github.benmanes.caffeine.cache.Ticker;
import com.typesafe.config.ConfigFactory;
import dev.sluice.offender.config.OffenderUtils;
import io.fabric8.kubernetes.api.model.Service;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.util.NetUtil;
import io.prometheus.metrics.model.snapshots.Labels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;
import tools.jackson.databind.ObjectMapper;

/** Breaks the rules of the house, one or two a line. Only compiled, never run. */
@SuppressWarnings("AddressSelection")
public class Offender {
    static int assigned;
    static final int[] ARRAY = {1};
    static final AtomicInteger COUNTER = new AtomicInteger();

    Object[] thirdParties() {
        return new Object[] {
            new Service(),
            new ObjectMapper(),
            JsonFormat.Shape.STRING,
            LoadSettings.builder(),
            ConfigFactory.empty(),
            Ticker.systemTicker(),
            NetUtil.LOCALHOST,
            HttpMethod.GET,
            Labels.EMPTY,
            new CommandLine(this),
            Level.INFO,
            Logger.getLogger("offender"),
            OffenderUtils.offender()
        };
    }

    void ends() {
        assigned++;
        System.out.println(assigned);
        Runtime.getRuntime().halt(1);
        Runtime.getRuntime().exit(1);
        System.exit(1);
    }

    void waits() throws InterruptedException {
        Thread.sleep(1);
        TimeUnit.SECONDS.sleep(1);
    }

    Object[] asksDns() throws IOException {
        InetSocketAddress address = new InetSocketAddress("name", 80);
        return new Object[] {
            InetAddress.getByName("name"),
            InetAddress.getAllByName("name"),
            InetAddress.getLocalHost(),
            InetAddress.getLoopbackAddress().getHostName(),
            InetAddress.getLoopbackAddress().getCanonicalHostName(),
            address.getHostName(),
            new Socket("name", 80)
        };
    }
}
