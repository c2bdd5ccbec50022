package dev.sluice.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Optional;

/**
 * The checks behind a health page, in the form of the Kubernetes API server's: {@code ok} when all
 * is well, each check on a line of its own when something is not, or when {@code verbose} is asked
 * for.
 *
 * <p>Immutable; any thread.
 *
 * @param name of the page, {@code livez} or {@code readyz}
 */
record HealthReport(String name, List<Check> checks) {
    /**
     * One check.
     *
     * @param remark why it failed, or what is worth to be known although it did not
     */
    record Check(String name, boolean ok, Optional<String> remark) {
        static Check ok(String name) {
            return new Check(name, true, Optional.empty());
        }

        static Check ok(String name, String remark) {
            return new Check(name, true, Optional.of(remark));
        }

        static Check failed(String name, String reason) {
            return new Check(name, false, Optional.of(reason));
        }

        private String line() {
            return (ok ? "[+]" + name + " ok" : "[-]" + name + " failed")
                    + remark.map(text -> ": " + text.replaceAll("\\p{Cntrl}+", " ")).orElse("")
                    + "\n";
        }
    }

    boolean isOk() {
        return checks.stream().allMatch(Check::ok);
    }

    Reply reply(PageRequest request) {
        StringBuilder text = new StringBuilder();
        boolean all = !isOk() || request.has("verbose");
        for (Check check : checks) {
            if (all || check.remark().isPresent()) {
                text.append(check.line());
            }
        }
        String verdict = name + (isOk() ? " check passed\n" : " check failed\n");
        return Reply.text(
                isOk() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
                text.isEmpty() ? "ok\n" : text + verdict);
    }
}
