package dev.sluice.config;

import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * One thing that kube-proxy can be told, by a field of its file (kubeproxy.config.k8s.io/v1alpha1)
 * or by a flag, and what becomes of it here.
 *
 * <p>Immutable; any thread.
 *
 * @param field path in the file; empty: there is only the flag
 * @param flag without the dashes; empty: there is only the field
 * @param isTruth whether the flag may stand without a value, which then is {@code true}
 * @param key of Sluice, without {@code sluice.}; empty: Sluice has no use for it
 * @param translation of a value into that of the key
 * @param asGood values that ask for nothing: what kube-proxy does by default, and what Sluice does
 *     anyway
 */
record KubeProxySetting(
        String field,
        String flag,
        boolean isTruth,
        String key,
        UnaryOperator<String> translation,
        Set<String> asGood) {
    /** What says nothing: the defaults of kube-proxy take its place. */
    private static final Set<String> UNSET = Set.of("", "null", "0", "0s", "[]", "{}");

    KubeProxySetting {
        asGood = Set.copyOf(asGood);
    }

    static KubeProxySetting used(String field, String flag, String key) {
        return used(field, flag, key, text -> text);
    }

    static KubeProxySetting used(
            String field,
            String flag,
            String key,
            UnaryOperator<String> translation,
            String... asGood) {
        return new KubeProxySetting(field, flag, false, key, translation, Set.of(asGood));
    }

    static KubeProxySetting unused(String field, String flag, String... asGood) {
        return new KubeProxySetting(field, flag, false, "", text -> text, Set.of(asGood));
    }

    /** One without use here whose values are true and false. */
    static KubeProxySetting truth(String field, String flag, String... asGood) {
        return new KubeProxySetting(field, flag, true, "", text -> text, Set.of(asGood));
    }

    boolean isUsed() {
        return !key.isEmpty();
    }

    /** Whether a value asks for something: {@code false} does only where the default is true. */
    boolean isNews(String value) {
        if (asGood.contains(value) || UNSET.contains(value)) {
            return false;
        }
        return !value.equals("false") || asGood.contains("true");
    }
}
