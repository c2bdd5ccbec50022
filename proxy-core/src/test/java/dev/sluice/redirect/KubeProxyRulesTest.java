package dev.sluice.redirect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeProxyRulesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-A OUTPUT -m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES",
                "-A PREROUTING -m comment --comment \"handle ClusterIPs\" -j KUBE-PORTALS-CONTAINER",
                "-A OUTPUT -j KUBE-PORTALS-HOST"
            })
    void aJumpToItsServicesIsFoundWithItsChain(String rule) {
        assertThat(KubeProxyRules.findIn(SavedTable.parse("*nat\n" + rule + "\nCOMMIT\n")))
                .hasValue(rule.substring(3));
    }

    @Test
    void rulesOfTheKubeletAreNotThoseOfKubeProxy() {
        assertThat(
                        KubeProxyRules.findIn(
                                SavedTable.parse(
                                        """
                                        *nat
                                        :KUBE-SERVICES - [0:0]
                                        -A POSTROUTING -m comment --comment "to KUBE-SERVICES" -j KUBE-POSTROUTING
                                        -A KUBE-MARK-DROP -j MARK --set-xmark 0x8000/0x8000
                                        COMMIT
                                        *filter
                                        -A INPUT -j KUBE-SERVICES
                                        COMMIT
                                        """)))
                .isEmpty();
    }
}
