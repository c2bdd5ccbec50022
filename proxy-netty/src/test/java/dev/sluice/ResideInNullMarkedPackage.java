package dev.sluice;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

/**
 * A {@code package-info.java} with {@link NullMarked}.
 *
 * <p>Threads: one.
 */
final class ResideInNullMarkedPackage extends ArchCondition<JavaClass> {
    ResideInNullMarkedPackage() {
        super("reside in a package that is @NullMarked");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
            events.add(
                    SimpleConditionEvent.violated(
                            type, type.getName() + " is in a package that is not @NullMarked"));
        }
    }
}
