// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.topology.calibration.MeasuredPath;
import io.tombolo.topology.calibration.MeasuringPlan.Turn;
import io.tombolo.topology.machine.LinkCost;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * What a turn found, as bytes, little-endian: latency in ps (i64), megabytes per second (i32), the
 * path's name (UTF-8). One byte stands for nothing.
 */
final class TurnCodec {
  private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;
  private static final int MAX_BYTES = 1 << 10;

  private TurnCodec() {}

  static byte[] encode(Optional<MeasuredPath> path) {
    if (path.isEmpty()) {
      return new byte[1];
    }
    byte[] name = path.get().name().getBytes(UTF_8);
    LinkCost cost = path.get().cost();
    return ByteBuffer.allocate(HEADER_BYTES + name.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(cost.latencyPs())
        .putInt(cost.megabytesPerSecond())
        .put(name)
        .array();
  }

  static Optional<MeasuredPath> decode(byte[] bytes, Turn turn) {
    if (bytes.length == 1) {
      return Optional.empty();
    }
    if (bytes.length < HEADER_BYTES || bytes.length > MAX_BYTES) {
      throw new CorruptException(
          "what rank " + turn.from() + " measured came as " + bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long latencyPs = in.getLong();
    int width = in.getInt();
    if (latencyPs < 0 || width < 1) {
      throw new CorruptException(
          "what rank %s measured came as %s ps and %s MB/s"
              .formatted(turn.from(), latencyPs, width));
    }
    String name = new String(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES, UTF_8);
    return Optional.of(
        new MeasuredPath(
            turn.kind(),
            name,
            turn.from(),
            turn.to(),
            turn.network(),
            new LinkCost(latencyPs, width)));
  }
}
