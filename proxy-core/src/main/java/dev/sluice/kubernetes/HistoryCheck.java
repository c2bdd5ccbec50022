package dev.sluice.kubernetes;

import dev.sluice.kubernetes.transport.WatchHealth;
import java.math.BigInteger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the API server for its version each time a watch was opened again, and compares it with what
 * was seen before. A server whose version is lower was given another state.
 *
 * <p>Versions are numbers that grow, on every API server that uses etcd (KEP-5504); what is no
 * number is not compared.
 *
 * <p>Threads: one at a time.
 */
final class HistoryCheck {
    private final Inquiry<String> versionNow;
    private final WatchHealth watch;
    private long checked;
    private long asked;
    private @Nullable String seen;

    /**
     * @param versionNow a consistent read
     */
    HistoryCheck(Inquiry<String> versionNow, WatchHealth watch) {
        this.versionNow = versionNow;
        this.watch = watch;
    }

    /** Watches up to this number need no check: the first one begins at the version of a list. */
    void startAfter(long opened) {
        checked = opened;
        seen = null;
        versionNow.drop();
    }

    /**
     * To be called from time to time.
     *
     * @param version what was seen up to now
     * @return what is wrong, in one line
     */
    Optional<String> look(@Nullable String version) {
        if (watch.opened() <= checked || watch.failure().isPresent()) {
            return Optional.empty();
        }
        if (seen == null) {
            // Before the request: what is seen later may be newer than the answer.
            seen = version;
            asked = watch.opened();
        }
        String before = seen;
        Optional<String> now = versionNow.look(failure -> seen = null);
        if (now.isEmpty()) {
            return Optional.empty();
        }
        checked = asked;
        seen = null;
        versionNow.succeeded();
        return now.filter(lower -> isLower(lower, before))
                .map(
                        lower ->
                                "the API server is at version "
                                        + lower
                                        + " after it was at "
                                        + before
                                        + ": it has another history");
    }

    private static boolean isLower(@Nullable String now, @Nullable String before) {
        return isNumber(now)
                && isNumber(before)
                && new BigInteger(now).compareTo(new BigInteger(before)) < 0;
    }

    private static boolean isNumber(@Nullable String version) {
        return version != null && version.matches("\\d{1,30}");
    }
}
