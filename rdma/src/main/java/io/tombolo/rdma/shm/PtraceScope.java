// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Whether processes of this one's kind may read each other's memory, as far as settings of the
 * kernel tell before there are any: its module Yama keeps that from all but parents, or from all
 * without a privilege. Channels do not go by this; they try it.
 */
final class PtraceScope {
  private static final Path SETTING = Path.of("/proc/sys/kernel/yama/ptrace_scope");
  private static final Path STATUS = Path.of("/proc/self/status");

  /** Anybody of the same user may. */
  private static final String OPEN = "0";

  /** Nobody may, whatever their privileges. */
  private static final String SHUT = "3";

  private static final String PRIVILEGES = "CapEff:";
  private static final int SYS_PTRACE = 19;

  private PtraceScope() {}

  /** What the settings of this system say; no if they cannot be read. */
  static boolean letsSiblingsRead() {
    try {
      return letsSiblingsRead(Files.readString(SETTING), Files.readString(STATUS));
    } catch (NoSuchFileException noYama) {
      return true;
    } catch (IOException unknown) {
      return false;
    }
  }

  /** What they say if their files have this in them. */
  static boolean letsSiblingsRead(String setting, String status) {
    String scope = setting.strip();
    return scope.equals(OPEN) || (!scope.equals(SHUT) && hasPrivilege(status));
  }

  private static boolean hasPrivilege(String status) {
    return Splitter.on('\n')
        .splitToStream(status)
        .filter(line -> line.startsWith(PRIVILEGES))
        .map(line -> Long.parseUnsignedLong(line.substring(PRIVILEGES.length()).strip(), 16))
        .anyMatch(privileges -> (privileges & (1L << SYS_PTRACE)) != 0);
  }
}
