package dev.sluice.admin;

import java.util.concurrent.CompletionStage;

/**
 * What is served at one path.
 *
 * <p>Threads: called on the admin loop; must not block, and may complete on any thread.
 */
@FunctionalInterface
interface Page {
    /**
     * Answers a request.
     *
     * @throws RefusedRequest if a parameter breaks a rule
     */
    CompletionStage<Reply> reply(PageRequest request);
}
