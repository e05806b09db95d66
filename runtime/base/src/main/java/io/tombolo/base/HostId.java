// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import com.google.common.hash.Hashing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A name for the host that processes can share memory on. Host names are not unique and containers
 * share kernels, so it is made from the kernel's boot id and the network namespace, which abstract
 * sockets live in.
 */
public final class HostId {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Path NAMESPACE = Path.of("/proc/self/ns/net");

  /** Read once: whoever asks later needs no open file for it. */
  private static final Supplier<String> LOCAL = Suppliers.memoize(() -> of(bootId(), namespace()));

  private HostId() {}

  /**
   * The name of this process's host, 16 hexadecimal digits; equal for two processes only if they
   * share it.
   *
   * @throws io.tombolo.base.errors.ResourceException if this process may open no more files, the
   *     first time
   */
  public static String local() {
    return LOCAL.get();
  }

  /** The name of the host with this boot id and network namespace, as /proc spells them. */
  public static String of(String bootId, String namespace) {
    return Hashing.sha256()
        .hashString(bootId + " " + namespace, StandardCharsets.UTF_8)
        .toString()
        .substring(0, 16);
  }

  private static String bootId() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      throw unread(BOOT_ID, e);
    }
  }

  private static String namespace() {
    try {
      return Files.readSymbolicLink(NAMESPACE).toString();
    } catch (IOException e) {
      throw unread(NAMESPACE, e);
    }
  }

  private static RuntimeException unread(Path file, IOException e) {
    return OpenFiles.ranOut(e)
        ? OpenFiles.noneLeft("cannot read " + file, e)
        : new IllegalStateException("cannot read " + file + ": is /proc mounted?", e);
  }
}
