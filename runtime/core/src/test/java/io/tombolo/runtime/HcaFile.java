// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.emulated.hca.EmulatedHca;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The emulated HCA as a file, which a job's ranks open as they would open libibverbs. */
final class HcaFile implements AutoCloseable {
  private final Path file;

  HcaFile() throws IOException {
    file = Files.createTempFile("tombolo-hca-", ".so");
    String folder = "/META-INF/native/linux-" + System.getProperty("os.arch") + "/";
    String resource = folder.replace("amd64", "x86_64") + EmulatedHca.library();
    try (InputStream in = EmulatedHca.class.getResourceAsStream(resource)) {
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  String path() {
    return file.toString();
  }

  @Override
  public void close() throws IOException {
    Files.delete(file);
  }
}
