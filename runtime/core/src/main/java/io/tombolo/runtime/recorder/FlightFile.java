// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import io.tombolo.base.errors.TomboloException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file in which one rank records what it does in one communicator. It stays where it is when
 * the rank has gone.
 */
public final class FlightFile implements AutoCloseable {
  private final ByteBuffer file;
  private final FlightRing collectives;
  private final FlightRing messages;
  private boolean ended;

  private FlightFile(ByteBuffer file, int records, long group) {
    this.file = file;
    this.collectives = new FlightRing(file, FlightFormat.RINGS_AT, records, group);
    int second = FlightFormat.RINGS_AT + records * FlightFormat.RECORD_BYTES;
    this.messages = new FlightRing(file, second, records, group);
  }

  /**
   * A new file at {@code path}; one of that name gives way, though some process may still write to
   * it. All of it is on the disk from the beginning: a disk that is full later breaks no store.
   */
  static FlightFile create(Path path, FlightHeader header) throws IOException {
    Files.deleteIfExists(path);
    int size = FlightFormat.fileBytes(header.records());
    try (FileChannel channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocate(size);
      while (zeros.hasRemaining()) {
        channel.write(zeros);
      }
      return on(channel.map(FileChannel.MapMode.READ_WRITE, 0, size), header);
    }
  }

  /** A recorder in {@code file}, zeros so far. */
  static FlightFile on(ByteBuffer file, FlightHeader header) {
    header.encode(file);
    return new FlightFile(file, header.records(), header.group());
  }

  /** Where collectives are recorded. */
  public FlightRing collectives() {
    return collectives;
  }

  /** Where messages are recorded. */
  public FlightRing messages() {
    return messages;
  }

  /** The communicator has failed on this rank, because of {@code cause}. */
  public void failed(TomboloException cause) {
    collectives.stand();
    messages.stand();
    end(FlightEnd.Kind.FAILED, cause.getMessage());
  }

  /** This rank has left the communicator; of one that has failed there is nothing to add. */
  @Override
  public void close() {
    end(FlightEnd.Kind.CLOSED, "");
  }

  private synchronized void end(FlightEnd.Kind kind, String cause) {
    if (!ended) {
      ended = true;
      new FlightEnd(kind, System.nanoTime(), cause).encode(file);
    }
  }
}
