package dev.sluice.e2e;

import dev.sluice.peer.Behaviour;
import java.io.Serializable;

/**
 * A behaviour that is made where it is needed, since it can't travel itself.
 *
 * <p>Immutable; any thread.
 */
@FunctionalInterface
public interface BehaviourSource extends Serializable {
    Behaviour create();
}
