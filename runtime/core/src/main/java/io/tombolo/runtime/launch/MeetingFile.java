// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.hash.Hashing;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.ProcessStat;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * How the ranks of a job on one host meet if their launcher gave them no secret: rank 0 writes the
 * store's port and a token into a file that nobody but its user can read or replace.
 *
 * <p>The file also names the process that wrote it. What a dead process has left is not believed.
 */
final class MeetingFile {
  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rw-------");
  private static final long LOOK_NS = 20_000_000;

  /**
   * What the file says.
   *
   * @param port the store's port on 127.0.0.1
   * @param token the job's secret
   * @param pid the process that wrote it
   * @param startTicks when that process started; 0 if it does not know
   */
  record Content(int port, JobToken token, long pid, long startTicks) {
    String line() {
      return port + " " + token.hex() + " " + pid + " " + startTicks;
    }

    boolean isAlive() {
      return !ProcessStat.hasEnded(pid, startTicks);
    }
  }

  private final String jobId;
  private final Path path;

  private MeetingFile(String jobId, Path path) {
    this.jobId = jobId;
    this.path = path;
  }

  /** The file of job {@code jobId}, for a process with {@code variables}. */
  static MeetingFile of(String jobId, Map<String, String> variables) {
    Path folder = Path.of(variables.getOrDefault("XDG_RUNTIME_DIR", "/tmp"));
    return in(Files.isDirectory(folder) ? folder : Path.of("/tmp"), jobId);
  }

  static MeetingFile in(Path folder, String jobId) {
    String name = Hashing.sha256().hashString(jobId, UTF_8).toString().substring(0, 16);
    return new MeetingFile(jobId, folder.resolve("tombolo-" + owner() + "-" + name));
  }

  /** Tells the other ranks; a {@link UsageException} if another job has the same name just now. */
  void publish(int port, JobToken token) {
    read()
        .filter(Content::isAlive)
        .ifPresent(
            other -> {
              throw new UsageException(
                  "process "
                      + other.pid()
                      + " is rank 0 of another job called "
                      + jobId
                      + " here; give each job a token of its own: export"
                      + " TOMBOLO_TOKEN=$(openssl rand -hex 32)");
            });
    long pid = ProcessHandle.current().pid();
    long start = ProcessStat.of(pid).map(ProcessStat::startTicks).orElse(0L);
    try {
      Path draft =
          Files.createTempFile(
              path.getParent(), "tombolo-", "", PosixFilePermissions.asFileAttribute(PRIVATE));
      Files.writeString(draft, new Content(port, token, pid, start).line());
      Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new ResourceException("cannot write " + path + ", where the ranks meet: " + e, e);
    }
  }

  /** Waits until rank 0 has told. */
  Content await(int rank, Deadline deadline) {
    while (true) {
      Optional<Content> content = read().filter(Content::isAlive);
      if (content.isPresent()) {
        return content.get();
      }
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "rank %s: after %s ms rank 0 of job %s has not written %s; has it started on this host?"
                .formatted(rank, deadline.budgetNs() / 1_000_000, jobId, path));
      }
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  /** Removes the file, if it is there. */
  void remove() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new ResourceException("cannot remove " + path + ": " + e, e);
    }
  }

  private Optional<Content> read() {
    try {
      PosixFileAttributes attributes =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      boolean mine =
          Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(owner());
      if (!mine || !attributes.isRegularFile() || !attributes.permissions().equals(PRIVATE)) {
        throw new UsageException(
            path
                + " is not a private file of this user, so it cannot be trusted: remove it, or give"
                + " all ranks a token: export TOMBOLO_TOKEN=$(openssl rand -hex 32)");
      }
      return Optional.of(parse(Files.readString(path)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new ResourceException("cannot read " + path + ", where the ranks meet: " + e, e);
    }
  }

  private Content parse(String line) {
    List<String> words = Splitter.on(' ').splitToList(line);
    try {
      return new Content(
          Integer.parseInt(words.get(0)),
          JobToken.parse(words.get(1)),
          Long.parseLong(words.get(2)),
          Long.parseLong(words.get(3)));
    } catch (IndexOutOfBoundsException | NumberFormatException | UsageException e) {
      throw new CorruptException(path + " is damaged; remove it", e);
    }
  }

  private static Object owner() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException e) {
      throw new ResourceException("cannot read /proc/self: is /proc mounted?", e);
    }
  }
}
