// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Topology;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.RecordedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads a topology from a file of any kind that this program knows, by looking at what is in it.
 */
public final class TopologyFile {
  /** A million ranks take less. */
  private static final int MAX_BYTES = 64 << 20;

  private TopologyFile() {}

  /** The topology in {@code file}. */
  public static Topology read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new UsageException(file + " is longer than " + (MAX_BYTES >> 20) + " MiB");
      }
      return parse(new String(bytes, StandardCharsets.UTF_8), file.toString());
    } catch (NoSuchFileException e) {
      throw new UsageException("there is no file " + file, e);
    } catch (IOException e) {
      throw new UsageException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  /** The topology in {@code text}, which {@code source} names in errors. */
  public static Topology parse(String text, String source) {
    String start = text.stripLeading();
    if (start.startsWith("{")) {
      return TopologyJsonReader.read(text, source);
    }
    if (start.startsWith("<")) {
      return xml(SafeXml.parse(text, source));
    }
    if (start.startsWith("/") || start.startsWith("#")) {
      return Topology.of(List.of(Detection.of(RecordedFiles.parse(text, source))));
    }
    throw new UsageException(
        source
            + " is no topology: neither our JSON, nor XML of NCCL, FlagCX or hwloc, nor a recorded"
            + " system");
  }

  private static Topology xml(XmlElement root) {
    return switch (root.name()) {
      case "system" -> NcclXml.read(root);
      case "topology" -> HwlocXml.read(root);
      default -> throw root.wrong("is the root of neither an NCCL nor an hwloc topology");
    };
  }
}
