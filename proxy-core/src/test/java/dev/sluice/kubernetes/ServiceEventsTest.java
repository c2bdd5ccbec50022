package dev.sluice.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class ServiceEventsTest {
    private static final String EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private ScriptedApi api;
    private FollowedSource source;

    @BeforeEach
    void start() throws Exception {
        log.start();
        ((Logger) LoggerFactory.getLogger(ServiceEvents.class)).addAppender(log);
        api = new ScriptedApi();
        api.put(ScriptedApi.SERVICES, KubernetesFixtures.service("web", "10.96.0.1"));
        source = FollowedSource.of(api.address());
        source.awaitServed("web [10.96.0.1] -> []");
    }

    @AfterEach
    void stop() {
        ((Logger) LoggerFactory.getLogger(ServiceEvents.class)).detachAppender(log);
        source.close();
        api.close();
    }

    private void portFails(String service, String why) {
        source.source().applied(KubernetesFixtures.portsFail(why, service));
    }

    private List<ScriptedApi.Request> posts() {
        return api.requests(request -> request.path().equals(EVENTS));
    }

    private void awaitPosts(int count) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(posts()).hasSize(count));
    }

    @Test
    void aConcernBecomesAnEventOnItsServiceAndIsNotRepeated() {
        portFails("web", "192.0.2.1:30080 is taken");
        await().until(() -> !api.posted().isEmpty());
        Event event = new KubernetesSerialization().unmarshal(api.posted().get(0), Event.class);

        assertThat(event.getRegarding().getKind()).isEqualTo("Service");
        assertThat(event.getRegarding().getName()).isEqualTo("web");
        assertThat(event.getRegarding().getUid()).isEqualTo("uid-web");
        assertThat(event.getMetadata().getNamespace()).isEqualTo("default");
        assertThat(event.getMetadata().getName()).startsWith("web.");
        assertThat(event.getEventTime().getTime()).matches("20\\d\\d-.*T.*\\.\\d{6}Z");
        assertThat(event.getReason()).isEqualTo("FailedToServePort");
        assertThat(event.getAction()).isEqualTo("Serve");
        assertThat(event.getType()).isEqualTo("Warning");
        assertThat(event.getReportingController()).isEqualTo("sluice.dev/sluice");
        assertThat(event.getReportingInstance()).isEqualTo("a");
        assertThat(event.getNote()).isEqualTo("default/web:http/tcp: 192.0.2.1:30080 is taken");

        portFails("web", "192.0.2.1:30080 is taken, still");
        portFails("gone", "nobody would read it");
        api.put(ScriptedApi.SERVICES, KubernetesFixtures.service("api", "10.96.0.2"));
        source.awaitServed("api [10.96.0.2] -> []", "web [10.96.0.1] -> []");
        portFails("api", "is taken");
        await().until(() -> api.posted().size() == 2);
        assertThat(api.posted().get(1)).contains("\"uid-api\"");
    }

    @Test
    void withoutTheRightThereIsOneWarningAndNoFurtherRequest() {
        api.refuse(EVENTS, false, 9, ScriptedApi.Refusal.saying(403, "cannot create resource", ""));
        api.put(ScriptedApi.SERVICES, KubernetesFixtures.service("other", "10.96.0.3"));
        source.awaitServed("other [10.96.0.3] -> []", "web [10.96.0.1] -> []");
        source.source().applied(KubernetesFixtures.portsFail("is taken", "other", "web"));
        awaitPosts(1);
        await().until(() -> !log.list.isEmpty());

        assertThat(log.list.get(0).getFormattedMessage())
                .contains("events.k8s.io")
                .contains("cannot create resource");
        assertNoFurtherPost();
    }

    @Test
    void aNamespaceThatIsBeingDeletedIsNoMatter() {
        api.refuse(
                EVENTS,
                false,
                1,
                ScriptedApi.Refusal.saying(403, "unable to create", "NamespaceTerminating"));
        portFails("web", "is taken");
        awaitPosts(1);

        api.put(ScriptedApi.SERVICES, KubernetesFixtures.service("api", "10.96.0.2"));
        source.awaitServed("api [10.96.0.2] -> []", "web [10.96.0.1] -> []");
        portFails("api", "is taken");
        awaitPosts(2);
        assertThat(log.list).noneMatch(line -> line.getFormattedMessage().contains("the right"));
    }

    @Test
    void whatTheServerWillNeverTakeIsNotSentAgain() {
        api.refuse(
                EVENTS, false, 1, ScriptedApi.Refusal.saying(422, "invalid", "FieldValueInvalid"));
        portFails("web", "is taken");
        awaitPosts(1);

        api.put(ScriptedApi.SERVICES, KubernetesFixtures.service("api", "10.96.0.2"));
        source.awaitServed("api [10.96.0.2] -> []", "web [10.96.0.1] -> []");
        portFails("api", "is taken");
        awaitPosts(2);
        assertThat(log.list).noneMatch(line -> line.getLevel().isGreaterOrEqual(Level.WARN));
    }

    @Test
    void whatTheServerCanNotTakeNowIsSentLater() {
        api.refuse(EVENTS, false, 2, new ScriptedApi.Refusal(503));
        portFails("web", "is taken");

        await().atMost(Duration.ofSeconds(20)).until(() -> api.posted().size() == 1);
        awaitPosts(3);
        assertThat(log.list)
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement(InstanceOfAssertFactories.STRING)
                .startsWith("Events can't be written, and are later");
    }

    /** Another concern would have been told by now, were any told. */
    private void assertNoFurtherPost() {
        api.put(ScriptedApi.SERVICES, KubernetesFixtures.service("api", "10.96.0.2"));
        source.awaitServed(
                "api [10.96.0.2] -> []", "other [10.96.0.3] -> []", "web [10.96.0.1] -> []");
        portFails("api", "is taken");
        await().pollDelay(Duration.ofMillis(300))
                .untilAsserted(() -> assertThat(posts()).hasSize(1));
    }
}
