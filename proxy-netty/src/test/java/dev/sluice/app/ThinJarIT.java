package dev.sluice.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** The library, as an embedding application gets it. */
class ThinJarIT {
    @Test
    void hasOurClassesOnlyAndNothingThatSettlesTheLogOfAnApplication() throws IOException {
        try (JarFile jar = new JarFile(System.getProperty("sluice.thin-jar"))) {
            List<String> files =
                    jar.stream()
                            .filter(entry -> !entry.isDirectory())
                            .map(ZipEntry::getName)
                            .toList();

            assertThat(files)
                    .contains("dev/sluice/app/ServiceProxy.class")
                    .allMatch(
                            name ->
                                    name.startsWith("dev/sluice/")
                                            || name.startsWith("META-INF/maven/dev.sluice/")
                                            || name.equals("META-INF/MANIFEST.MF"));
        }
    }
}
