package dev.sluice.admin;

import dev.sluice.admin.HealthReport.Check;
import dev.sluice.control.ReconcileStatus;
import dev.sluice.control.WatchStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * {@code /readyz}: whether clients are served as they should be. While the API server is away, they
 * are, by the last state that it gave: what is said then is how old that is.
 *
 * <p>Threads: the admin loop only.
 */
final class ReadyzPage implements Page {
    private final Supplier<ReconcileStatus> status;
    private final Supplier<List<WatchStatus>> watches;
    private final Supplier<Optional<String>> healthFailure;
    private final BooleanSupplier draining;

    /**
     * @param healthFailure why the node's health can't be told to load balancers
     */
    ReadyzPage(
            Supplier<ReconcileStatus> status,
            Supplier<List<WatchStatus>> watches,
            Supplier<Optional<String>> healthFailure,
            BooleanSupplier draining) {
        this.healthFailure = healthFailure;
        this.status = status;
        this.watches = watches;
        this.draining = draining;
    }

    @Override
    public CompletionStage<Reply> reply(PageRequest request) {
        request.allowOnly("verbose");
        return report().reply(request).now();
    }

    private HealthReport report() {
        ReconcileStatus now = status.get();
        List<Check> checks = new ArrayList<>();
        checks.add(
                draining.getAsBoolean()
                        ? Check.failed("running", "the proxy drains")
                        : Check.ok("running"));
        checks.add(
                now.complete()
                        ? Check.ok("services")
                        : Check.failed("services", "not yet complete for the first time"));
        checks.add(rules(now));
        checks.add(notAll("service-ports", now.portFailures()));
        checks.add(notAll("health-checks", now.healthCheckFailures()));
        healthFailure.get().ifPresent(failure -> checks.add(Check.ok("health-server", failure)));
        watches.get().forEach(watch -> checks.add(check(watch)));
        return new HealthReport("readyz", checks);
    }

    private static Check rules(ReconcileStatus status) {
        String failure = status.failure().orElse("");
        if (!status.rulesInForce()) {
            return Check.failed("rules", failure.isEmpty() ? "not written yet" : failure);
        }
        return failure.isEmpty() ? Check.ok("rules") : Check.ok("rules", failure);
    }

    // Those who can be served are: one that can't is no reason to send nobody here.
    private static Check notAll(String name, SortedMap<?, String> failures) {
        return failures.isEmpty()
                ? Check.ok(name)
                : Check.ok(
                        name,
                        failures.size()
                                + " not as they should be, among them "
                                + failures.firstKey());
    }

    private static Check check(WatchStatus watch) {
        String name = "watch-" + watch.resource();
        return watch.failure()
                .map(
                        failure ->
                                Check.ok(
                                        name,
                                        watch.age()
                                                        .map(age -> age.toSeconds() + " s old: ")
                                                        .orElse("")
                                                + failure))
                .orElseGet(() -> Check.ok(name));
    }
}
