// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.topology.Uplink;
import io.tombolo.topology.machine.LinkClass;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A way to the network as bytes, little-endian: rail (u32), MB/s (u32), parts (u32), then the
 * distance's symbol, a zero byte, and the NIC's name.
 */
final class UplinkCodec {
  private static final int HEADER_BYTES = 12;

  /** More than any host has. */
  private static final int MOST = 1 << 30;

  private UplinkCodec() {}

  static byte[] encode(Uplink uplink) {
    byte[] words = (uplink.distance().symbol() + '\0' + uplink.nic()).getBytes(UTF_8);
    return ByteBuffer.allocate(HEADER_BYTES + words.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(uplink.rail())
        .putInt(uplink.megabytesPerSecond())
        .putInt(uplink.parts())
        .put(words)
        .array();
  }

  /** The way in {@code bytes}, of which {@code what} says whose they are. */
  static Uplink decode(byte[] bytes, String what) {
    if (bytes.length < HEADER_BYTES) {
      throw new CorruptException(what + " has an uplink of " + bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int rail = number(in, what);
    int megabytesPerSecond = number(in, what);
    int parts = number(in, what);
    String words = new String(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES, UTF_8);
    int end = words.indexOf('\0');
    return new Uplink(
        words.substring(end + 1),
        rail,
        distance(words.substring(0, Math.max(0, end)), what),
        megabytesPerSecond,
        parts);
  }

  private static int number(ByteBuffer in, String what) {
    int number = in.getInt();
    if (number < 0 || number > MOST) {
      throw new CorruptException(what + ": an uplink has no number from 0 to " + MOST);
    }
    return number;
  }

  private static LinkClass distance(String symbol, String what) {
    return Arrays.stream(LinkClass.values())
        .filter(each -> each.symbol().equals(symbol))
        .findFirst()
        .orElseThrow(() -> new CorruptException(what + ": an uplink is '" + symbol + "' away"));
  }
}
