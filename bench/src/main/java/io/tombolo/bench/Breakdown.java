// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.ByteArrayDataInput;
import com.google.common.io.ByteArrayDataOutput;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.work.WorkStage;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** How long calls were in each stage. Empty if nobody asked. */
final class Breakdown {
  private static final int DIGITS = 3;

  private final Map<WorkStage, Histogram> stages = new EnumMap<>(WorkStage.class);

  /**
   * Percentiles of one stage's times.
   *
   * @param p50Us median, in µs
   * @param p99Us 99th percentile, in µs
   */
  record Spread(double p50Us, double p99Us) {}

  /** Adds one call: nanoseconds in each of its stages. */
  void add(Map<WorkStage, Long> times) {
    times.forEach((stage, ns) -> at(stage).recordValue(ns));
  }

  /** Adds another rank's calls. */
  void add(Breakdown that) {
    that.stages.forEach((stage, times) -> at(stage).add(times));
  }

  private Histogram at(WorkStage stage) {
    return stages.computeIfAbsent(stage, key -> new Histogram(DIGITS));
  }

  boolean isEmpty() {
    return stages.isEmpty();
  }

  /** Median time in {@code stage}, in µs; 0 if there was none. */
  double medianUs(WorkStage stage) {
    return stages.containsKey(stage) ? spread(stages.get(stage)).p50Us() : 0;
  }

  /** Gives each stage that there was, in order. */
  void forEach(BiConsumer<WorkStage, Spread> reader) {
    stages.forEach((stage, times) -> reader.accept(stage, spread(times)));
  }

  /** The stages by name, in order. */
  ImmutableMap<String, Spread> byName() {
    ImmutableMap.Builder<String, Spread> all = ImmutableMap.builder();
    forEach((stage, spread) -> all.put(stage.text(), spread));
    return all.buildOrThrow();
  }

  private static Spread spread(Histogram times) {
    return new Spread(times.getValueAtPercentile(50) / 1e3, times.getValueAtPercentile(99) / 1e3);
  }

  void write(ByteArrayDataOutput out) {
    out.writeInt(stages.size());
    stages.forEach(
        (stage, times) -> {
          out.writeUTF(stage.name());
          write(times, out);
        });
  }

  static Breakdown read(ByteArrayDataInput in) {
    Breakdown read = new Breakdown();
    for (int left = in.readInt(); left > 0; left--) {
      read.stages.put(WorkStage.valueOf(in.readUTF()), readTimes(in));
    }
    return read;
  }

  static void write(Histogram times, ByteArrayDataOutput out) {
    ByteBuffer bytes = ByteBuffer.allocate(times.getNeededByteBufferCapacity());
    int length = times.encodeIntoCompressedByteBuffer(bytes);
    out.writeInt(length);
    out.write(Arrays.copyOf(bytes.array(), length));
  }

  static Histogram readTimes(ByteArrayDataInput in) {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    try {
      return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
    } catch (DataFormatException e) {
      throw new CorruptException("a rank's times came back damaged from the store", e);
    }
  }
}
