package dev.sluice.kubernetes;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file as it was at one moment: when two of these are equal, so is most likely the content.
 *
 * <p>Links are followed, since a mounted ConfigMap is a folder of links to {@code ..data/NAME},
 * where {@code ..data} is a link that an update replaces.
 *
 * <p>Immutable; any thread.
 *
 * @param size in bytes; -1 if the file cannot be examined
 * @param modified nanoseconds since 1970 as far as the file system says
 * @param key device and inode of the link's target, where the file system has them
 */
record ManifestFile(Path path, long size, String modified, @Nullable Object key) {
    /** Largest file that is read, in bytes. */
    static final int LARGEST = 32 << 20;

    /**
     * The file, or the manifests of the folder in the order of their names.
     *
     * @throws IOException if there is neither
     */
    static List<ManifestFile> in(Path root) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(root, BasicFileAttributes.class);
        if (attributes.isRegularFile()) {
            return List.of(of(root, attributes));
        }
        if (!attributes.isDirectory()) {
            throw new IOException("is neither a file nor a folder");
        }
        List<Path> paths;
        try (Stream<Path> entries = Files.list(root)) {
            paths =
                    entries.filter(ManifestFile::hasManifestName)
                            .sorted(Comparator.comparing(path -> path.getFileName().toString()))
                            .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        List<ManifestFile> files = new ArrayList<>();
        for (Path path : paths) {
            try {
                BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
                if (found.isRegularFile()) {
                    files.add(of(path, found));
                }
            } catch (IOException e) {
                files.add(new ManifestFile(path, -1, "", null));
            }
        }
        return List.copyOf(files);
    }

    private static ManifestFile of(Path path, BasicFileAttributes attributes) {
        return new ManifestFile(
                path,
                attributes.size(),
                attributes.lastModifiedTime().toInstant().toString(),
                attributes.fileKey());
    }

    private static boolean hasManifestName(Path path) {
        String name = path.getFileName().toString().toLowerCase(Locale.ROOT);
        return !name.startsWith(".")
                && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"));
    }

    /** What went wrong, for people: some messages of the JDK are no more than the path. */
    static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file or folder";
        }
        return e instanceof AccessDeniedException
                ? "access is denied"
                : String.valueOf(e.getMessage());
    }

    String name() {
        return path.getFileName().toString();
    }

    /**
     * The text as it is now.
     *
     * @throws IOException if the file is too large, is not UTF-8 or cannot be read
     */
    String read() throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(LARGEST + 1);
        }
        if (bytes.length > LARGEST) {
            throw new IOException("is larger than " + (LARGEST >> 20) + " MiB");
        }
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new IOException("is not UTF-8", e);
        }
    }
}
