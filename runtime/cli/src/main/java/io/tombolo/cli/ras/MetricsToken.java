// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.errors.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;

/**
 * The secret that one who reads metrics shows. It is another than the job's, as HTTP sends it in
 * clear: who has read it along learns how ranks are, and gets into no job.
 */
final class MetricsToken {
  private static final int MIN_CHARACTERS = 32;
  private static final int MAX_BYTES = 4 << 10;
  private static final String SCHEME = "Bearer ";

  private final byte[] header;

  private MetricsToken(String secret) {
    this.header = (SCHEME + secret).getBytes(UTF_8);
  }

  /**
   * The one that {@code file} holds.
   *
   * @throws UsageException if that cannot be read, is no secret, or everyone can read it
   */
  static MetricsToken read(Path file) {
    try {
      if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
        throw new UsageException(
            "%s: everyone on this machine can read it; chmod o= %s".formatted(file, file));
      }
      if (Files.size(file) > MAX_BYTES) {
        throw unfit(file);
      }
      String secret = Files.readString(file).strip();
      if (secret.length() < MIN_CHARACTERS || !secret.chars().allMatch(MetricsToken::isPlain)) {
        throw unfit(file);
      }
      return new MetricsToken(secret);
    } catch (IOException e) {
      throw new UsageException("%s cannot be read: %s".formatted(file, e), e);
    }
  }

  private static UsageException unfit(Path file) {
    return new UsageException(
        "%s holds no token: a line of %d or more characters without blanks; make one with: openssl rand -hex 32"
            .formatted(file, MIN_CHARACTERS));
  }

  private static boolean isPlain(int character) {
    return character > ' ' && character < 0x7f;
  }

  /** Whether {@code authorization}, a header, shows it; its bytes are compared in constant time. */
  boolean isShownBy(String authorization) {
    return MessageDigest.isEqual(header, authorization.getBytes(UTF_8));
  }

  @Override
  public String toString() {
    return "MetricsToken(hidden)";
  }
}
