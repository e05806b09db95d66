// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A piece of memory that all ranks of a group map, where they can: a file of {@code /dev/shm} that
 * has no name any more once all have it. It vanishes with the processes.
 */
public final class CommonMemory {
  private static final Logger LOG = LoggerFactory.getLogger(CommonMemory.class);
  private static final Path FOLDER = Path.of("/dev/shm");
  private static final String PREFIX = "tombolo-";

  private CommonMemory() {}

  /**
   * Maps {@code sizeBytes} of zeros that all ranks see; nothing on all ranks if one of them cannot.
   * All ranks call this, and it blocks until they have.
   *
   * @throws io.tombolo.base.errors.DeadlineExceededException if some did not come in time
   */
  public static Optional<ByteBuffer> share(
      Store store, int rank, int size, int sizeBytes, Deadline deadline) {
    Store desk = store.within("common-memory");
    Optional<Path> made = rank == 0 ? create(sizeBytes) : Optional.empty();
    try {
      byte[] name =
          UniqueIds.share(
              desk,
              "name",
              rank,
              0,
              () -> made.map(file -> file.getFileName().toString()).orElse("").getBytes(UTF_8),
              deadline);
      Optional<ByteBuffer> mapped = map(new String(name, UTF_8), sizeBytes);
      desk.set(Integer.toString(rank), new byte[] {(byte) (mapped.isPresent() ? 1 : 0)});
      List<String> all = IntStream.range(0, size).mapToObj(Integer::toString).toList();
      boolean everywhere = desk.awaitAll(all, deadline).stream().allMatch(said -> said[0] == 1);
      return everywhere ? mapped : Optional.empty();
    } finally {
      made.ifPresent(CommonMemory::forget);
    }
  }

  /**
   * Writes the zeros, as memory that is short is an error here, and a signal where it is mapped.
   */
  private static Optional<Path> create(int sizeBytes) {
    try {
      Path file =
          Files.createTempFile(
              FOLDER,
              PREFIX,
              "",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      fill(file, sizeBytes);
      return Optional.of(file);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn(
          "ranks share no memory for their votes, so votes take longer: {}; make /dev/shm writable, and give it more room"
              + " (mount -o remount,size=64m /dev/shm; docker run --shm-size=64m)",
          e.toString());
      return Optional.empty();
    }
  }

  private static void fill(Path file, int sizeBytes) throws IOException {
    try {
      Files.write(file, new byte[sizeBytes]);
    } catch (IOException e) {
      forget(file);
      throw e;
    }
  }

  private static Optional<ByteBuffer> map(String name, int sizeBytes) {
    if (name.isEmpty()) {
      return Optional.empty();
    }
    if (!name.matches(PREFIX + "[0-9]+")) { // a peer must not have us write any other file
      LOG.warn("rank 0 names no memory for votes, but '{}'", name);
      return Optional.empty();
    }
    try (FileChannel file =
        FileChannel.open(
            FOLDER.resolve(name),
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
      if (file.size() != sizeBytes) {
        throw new IOException(name + " has " + file.size() + " bytes, not " + sizeBytes);
      }
      return Optional.of(
          file.map(FileChannel.MapMode.READ_WRITE, 0, sizeBytes).order(ByteOrder.LITTLE_ENDIAN));
    } catch (IOException e) {
      LOG.info("this rank does not share memory for votes: {}", e.toString());
      return Optional.empty();
    }
  }

  private static void forget(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("{} stays behind: {}", file, e.toString());
    }
  }
}
