package dev.sluice.kubernetes;

import dev.sluice.model.FrontEnd;
import dev.sluice.model.FrontEndKind;
import dev.sluice.model.ServicePortName;

/**
 * A front end that a Service port wants and another one has.
 *
 * <p>Immutable; any thread.
 *
 * @param kind why it is wanted
 */
record FrontEndConflict(FrontEnd frontEnd, FrontEndKind kind, ServicePortName owner) {}
