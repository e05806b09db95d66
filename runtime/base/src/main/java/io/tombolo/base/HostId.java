// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

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

  private HostId() {}

  /**
   * The name of this process's host, 16 hexadecimal digits; equal for two processes only if they
   * share it.
   */
  public static String local() {
    return of(bootId(), namespace());
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
      throw new IllegalStateException("cannot read " + BOOT_ID + ": is /proc mounted?", e);
    }
  }

  private static String namespace() {
    try {
      return Files.readSymbolicLink(NAMESPACE).toString();
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + NAMESPACE + ": is /proc mounted?", e);
    }
  }
}
