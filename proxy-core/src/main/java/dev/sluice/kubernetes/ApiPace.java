package dev.sluice.kubernetes;

import java.time.Duration;

/**
 * How long the API server is waited for, and how often it is asked again.
 *
 * <p>Immutable; any thread.
 *
 * @param connectLimit until a connection is there
 * @param requestLimit until an answer begins; more than the longest pause that a server may ask
 *     for, which counts
 * @param answerLimit from then on until it is whole; 10,000 Services take some seconds
 * @param pingInterval between two pings on a watch
 * @param silenceLimit a watch on which nothing comes for so long is dead
 * @param leastReconnect the first pause before a watch is opened again is at least so long; pauses
 *     double until they are 32 times as long. Each process draws its own, so that the nodes of a
 *     cluster do not come back all at once
 * @param mostReconnect the same at most
 * @param shortestPause until a list that failed is tried again, at first
 * @param longestPause the same at last
 * @param eventInterval how often is looked whether an Event is to be written
 * @param eventPause until Events are tried again, after one failed
 */
record ApiPace(
        Duration connectLimit,
        Duration requestLimit,
        Duration answerLimit,
        Duration pingInterval,
        Duration silenceLimit,
        Duration leastReconnect,
        Duration mostReconnect,
        Duration shortestPause,
        Duration longestPause,
        Duration eventInterval,
        Duration eventPause) {

    /**
     * A dead watch is replaced within 60 s: two pings may be lost, and half of the time is left for
     * opening another one.
     */
    static final ApiPace STANDARD =
            new ApiPace(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(25),
                    Duration.ofMillis(200),
                    Duration.ofMillis(400),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(30));
}
