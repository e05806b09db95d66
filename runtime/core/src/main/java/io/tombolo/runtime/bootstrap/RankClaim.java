// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import com.google.common.primitives.Longs;
import io.tombolo.base.HostId;
import io.tombolo.base.JobToken;
import io.tombolo.base.ProcessStat;
import io.tombolo.base.errors.CorruptException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Which process says that it is a rank. In the store it is text, its parts separated by spaces.
 *
 * @param hostId a name of its host that no other host shares
 * @param space where its process id counts on that host: of containers, each has its own
 * @param pid its process id there
 * @param startTicks when it started, in ticks since its host did, which no clock shifts; 0 if
 *     nobody knows
 * @param nonce tells what two threads of one process say apart
 */
public record RankClaim(String hostId, String space, long pid, long startTicks, long nonce) {
  private static final Path SELF = Path.of("/proc/self");
  private static final Path SPACE = SELF.resolve("ns/pid");

  /** Read once: whoever asks later needs no open file for it. */
  private static final Supplier<String> OWN_SPACE = Suppliers.memoize(RankClaim::readSpace);

  /** This process. */
  public static RankClaim ofThisProcess() {
    long pid = ProcessHandle.current().pid();
    long startTicks = ProcessStat.of(pid).map(ProcessStat::startTicks).orElse(0L);
    long nonce = Longs.fromByteArray(JobToken.nonce());
    return new RankClaim(HostId.local(), OWN_SPACE.get(), pid, startTicks, nonce);
  }

  /** In a container with process ids of its own, {@code /proc} may still be its host's. */
  private static String readSpace() {
    try {
      String self = Files.readSymbolicLink(SELF).toString();
      return spaceOf(ProcessHandle.current().pid(), self, Files.readSymbolicLink(SPACE).toString());
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + SPACE + ": is /proc mounted?", e);
    }
  }

  /**
   * The name of the process ids that {@code /proc} tells of, or one that nobody else has if it has
   * another {@code self} than {@code pid}.
   */
  static String spaceOf(long pid, String self, String space) {
    return self.equals(Long.toString(pid))
        ? space
        : "unseen:" + Longs.fromByteArray(JobToken.nonce());
  }

  /** Whether the process can be looked for from here. */
  public boolean isNear() {
    return hostId.equals(HostId.local()) && space.equals(OWN_SPACE.get());
  }

  /** Whether the process, which is {@linkplain #isNear near}, is seen to have ended. */
  public boolean isGone() {
    return ProcessStat.hasEnded(pid, startTicks);
  }

  /** Whether a signal has stopped the process, which is {@linkplain #isNear near}. */
  public boolean isStopped() {
    return ProcessStat.of(pid).map(ProcessStat::isStopped).orElse(false);
  }

  /** Where the process is, for messages. */
  public String where() {
    return "pid " + pid + " on host " + hostId;
  }

  /** It as text. */
  public byte[] encode() {
    return "%s %s %s %s %s".formatted(hostId, space, pid, startTicks, nonce).getBytes(UTF_8);
  }

  /** What {@code bytes} say of {@code rank}; a {@link CorruptException} if that is nothing. */
  public static RankClaim decode(byte[] bytes, int rank) {
    List<String> parts = Splitter.on(' ').splitToList(new String(bytes, UTF_8));
    if (parts.size() == 5) {
      Long pid = Longs.tryParse(parts.get(2));
      Long startTicks = Longs.tryParse(parts.get(3));
      Long nonce = Longs.tryParse(parts.get(4));
      if (pid != null && startTicks != null && nonce != null) {
        return new RankClaim(parts.get(0), parts.get(1), pid, startTicks, nonce);
      }
    }
    throw new CorruptException("what says which process is rank " + rank + " is no such thing");
  }
}
