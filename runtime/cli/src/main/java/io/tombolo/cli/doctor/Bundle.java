// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.runtime.environment.Build;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** What a bug report wants to know of a host, as one file to send: see docs/output.md. */
final class Bundle {
  private Bundle() {}

  /**
   * Writes the bundle to {@code file}.
   *
   * @param report the findings as JSON
   * @param system the files that were looked at, as a recording
   * @param environment the process's; secrets are masked
   */
  static void write(Path file, String report, String system, Map<String, String> environment) {
    ImmutableMap<String, String> parts =
        ImmutableMap.of(
            "report.json",
            report,
            "system.txt",
            system,
            "versions.txt",
            versions(),
            "environment.txt",
            Joiner.on('\n').withKeyValueSeparator("=").join(Secrets.masked(environment)) + "\n");
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, String> part : parts.entrySet()) {
        zip.putNextEntry(new ZipEntry(part.getKey()));
        zip.write(part.getValue().getBytes(UTF_8));
        zip.closeEntry();
      }
    } catch (IOException e) {
      throw new ResourceException("cannot write the bundle " + file + ": " + e.getMessage(), e);
    }
  }

  private static String versions() {
    return "tombolo "
        + Build.version()
        + "\njava "
        + System.getProperty("java.runtime.version")
        + "\nsystem "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.version")
        + ", "
        + System.getProperty("os.arch")
        + "\n";
  }
}
