package dev.sluice.admin;

import static dev.sluice.admin.RefusedRequest.quoted;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * All pages by their paths, and the page that lists them.
 *
 * <p>Threads: filled by one thread, then read by the admin loop.
 */
final class Pages {
    private record Entry(String what, Page page) {}

    private final Map<String, Entry> byPath = new LinkedHashMap<>();

    /**
     * Adds a page.
     *
     * @param what it shows, for people
     */
    Pages add(String path, String what, Page page) {
        byPath.put(path, new Entry(what, page));
        return this;
    }

    CompletionStage<Reply> reply(PageRequest request) {
        if (request.path().equals("/")) {
            request.allowOnly();
            return index().now();
        }
        Entry found = byPath.get(request.path());
        if (found == null) {
            throw new RefusedRequest(
                    HttpResponseStatus.NOT_FOUND,
                    "path " + quoted(request.path()) + ": there is no such page; / lists them");
        }
        return found.page().reply(request);
    }

    private Reply index() {
        StringBuilder text = new StringBuilder("Sluice\n\n");
        byPath.forEach(
                (path, entry) -> text.append(String.format("%-22s %s%n", path, entry.what())));
        return Reply.text(text.toString().replace(System.lineSeparator(), "\n"));
    }
}
