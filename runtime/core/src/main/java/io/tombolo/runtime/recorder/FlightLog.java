// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What is in a rank's file, which the rank may still write to.
 *
 * @param header whose it is
 * @param end how the rank's part ended
 * @param collectives the last of them, in the order of their numbers
 * @param messages likewise
 * @param torn records that were being written
 * @param damaged records that nobody has written so
 */
public record FlightLog(
    FlightHeader header,
    FlightEnd end,
    ImmutableList<FlightRecord> collectives,
    ImmutableList<FlightRecord> messages,
    int torn,
    int damaged) {
  /** A writer is done with a record after nanoseconds, unless it was stopped in between. */
  private static final int TRIES = 100;

  /**
   * Reads {@code path}.
   *
   * @throws CorruptException if it is damaged, cut off, or something else
   * @throws io.tombolo.base.errors.UnsupportedException if it is of a later version
   * @throws UnavailableException if it cannot be read
   */
  public static FlightLog read(Path path) {
    try (FileChannel file = FileChannel.open(path)) {
      long most = FlightFormat.fileBytes(FlightFormat.MAX_RECORDS);
      long size = Math.min(file.size(), most);
      return decode(file.map(FileChannel.MapMode.READ_ONLY, 0, size));
    } catch (IOException e) {
      throw new UnavailableException("cannot read " + path + ": " + e + "; is it yours?", e);
    }
  }

  /** What {@code file}, a rank's whole file, says; throws as {@link #read}. */
  static FlightLog decode(ByteBuffer file) {
    FlightHeader header = FlightHeader.decode(file);
    Ring collectives = Ring.read(file, FlightFormat.RINGS_AT, header.records());
    int second = FlightFormat.RINGS_AT + header.records() * FlightFormat.RECORD_BYTES;
    Ring messages = Ring.read(file, second, header.records());
    return new FlightLog(
        header,
        FlightEnd.decode(file),
        collectives.sorted(),
        messages.sorted(),
        collectives.torn + messages.torn,
        collectives.damaged + messages.damaged);
  }

  /** A view of {@code file} from its beginning. */
  static ByteBuffer littleEndian(ByteBuffer file) {
    return file.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** A ring, as it is read. */
  private static final class Ring {
    private final List<FlightRecord> records = new ArrayList<>();
    private int torn;
    private int damaged;

    static Ring read(ByteBuffer file, int from, int records) {
      Ring ring = new Ring();
      for (int place = 0; place < records; place++) {
        ring.read(file, from + place * FlightFormat.RECORD_BYTES, place, records);
      }
      return ring;
    }

    private void read(ByteBuffer file, int at, int place, int size) {
      for (int i = 0; i < TRIES; i++) {
        long stamp = FlightFormat.getAcquire(file, at);
        if (stamp == 0) {
          return;
        }
        if (!FlightFormat.isWriting(stamp)) {
          long[] words = copy(file, at);
          if (FlightFormat.getAcquire(file, at) == stamp) {
            take(stamp, words, place, size);
            return;
          }
        }
        Thread.onSpinWait();
      }
      torn++;
    }

    /** With the acquire in each read, the stamp is looked at again after all of them. */
    private static long[] copy(ByteBuffer file, int at) {
      long[] words = new long[FlightFormat.RECORD_BYTES / Long.BYTES];
      for (int word = 0; word < words.length; word++) {
        words[word] = FlightFormat.getAcquire(file, at + word * Long.BYTES);
      }
      return words;
    }

    private void take(long stamp, long[] words, int place, int size) {
      Optional<FlightRecord> record = record(stamp, words);
      if (record.isEmpty() || (record.get().sequence() - 1) % size != place) {
        damaged++;
      } else {
        records.add(record.get());
      }
    }

    private static Optional<FlightRecord> record(long stamp, long[] words) {
      Optional<FlightState> state = FlightState.ofCode(FlightFormat.stateCodeOf(stamp));
      Optional<FlightCall> call =
          FlightCall.decode(
              word(words, FlightFormat.WHAT),
              word(words, FlightFormat.COUNT),
              word(words, FlightFormat.WHOM));
      long sequence = FlightFormat.sequenceOf(stamp);
      long size = word(words, FlightFormat.SIZE);
      long step = word(words, FlightFormat.STEP);
      boolean sound = sequence >= 1 && size >= 0 && FlightStep.isSound(step);
      if (state.isEmpty() || call.isEmpty() || !sound) {
        return Optional.empty();
      }
      return Optional.of(
          new FlightRecord(
              sequence,
              state.get(),
              call.get(),
              size,
              FlightStep.decode(step),
              word(words, FlightFormat.SUBMITTED),
              word(words, FlightFormat.STARTED),
              word(words, FlightFormat.ENDED)));
    }

    private static long word(long[] words, int at) {
      return words[at / Long.BYTES];
    }

    ImmutableList<FlightRecord> sorted() {
      return ImmutableList.sortedCopyOf(Comparator.comparingLong(FlightRecord::sequence), records);
    }
  }
}
