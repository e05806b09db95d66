// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Where what lies in a flight recorder's file, all of it little-endian:
 *
 * <pre>
 *      0  the {@link FlightHeader}, written once
 *   2048  the {@link FlightEnd}, written at the end
 *   4096  the ring of collectives, then the ring of messages: records of 72 bytes
 *
 * record  0  stamp: number of the operation &lt;&lt; 8 | state &lt;&lt; 1 | 1 while it is being written;
 *            0 if nothing was written there
 *         8  submitted, 16 started, 24 ended: System.nanoTime(); 0: not yet
 *        32  what, 40 count, 48 bytes, 56 whom: see {@link FlightCall}
 *        64  the step at which it stands, see {@link FlightStep}; whoever knows writes that word alone
 * </pre>
 *
 * Operation {@code n}, counted from 1, has the record {@code (n − 1) mod records} of its ring.
 */
final class FlightFormat {
  static final byte[] MAGIC = "TMBFLGHT".getBytes(StandardCharsets.US_ASCII);
  static final int VERSION = 2;

  static final int END_AT = 2048;
  static final int RINGS_AT = 4096;
  static final int RINGS = 2;

  static final int RECORD_BYTES = 72;
  static final int SUBMITTED = 8;
  static final int STARTED = 16;
  static final int ENDED = 24;
  static final int WHAT = 32;
  static final int COUNT = 40;
  static final int SIZE = 48;
  static final int WHOM = 56;
  static final int STEP = 64;

  /** Files with fewer are none of ours: what earlier versions wrote at least. */
  static final int MIN_RECORDS = 128;

  static final int MAX_RECORDS = 1 << 20;

  private static final VarHandle WORD =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int SEQUENCE_AT = 8;
  private static final int WRITING = 1;

  private FlightFormat() {}

  /** Bytes of a file whose rings have {@code records} each. */
  static int fileBytes(int records) {
    return RINGS_AT + RINGS * records * RECORD_BYTES;
  }

  static long stamp(long sequence, FlightState state) {
    return sequence << SEQUENCE_AT | (long) state.code() << 1;
  }

  static long writing(long stamp) {
    return stamp | WRITING;
  }

  static boolean isWriting(long stamp) {
    return (stamp & WRITING) != 0;
  }

  static long sequenceOf(long stamp) {
    return stamp >>> SEQUENCE_AT;
  }

  static int stateCodeOf(long stamp) {
    return (int) (stamp & 0xFF) >>> 1;
  }

  static long get(ByteBuffer file, int at) {
    return (long) WORD.get(file, at);
  }

  static void set(ByteBuffer file, int at, long word) {
    WORD.set(file, at, word);
  }

  static long getAcquire(ByteBuffer file, int at) {
    return (long) WORD.getAcquire(file, at);
  }

  static void setRelease(ByteBuffer file, int at, long word) {
    WORD.setRelease(file, at, word);
  }

  /** Writes a word that says nothing of any other. */
  static void setAlone(ByteBuffer file, int at, long word) {
    WORD.setOpaque(file, at, word);
  }

  /** Writes a stamp that all later writes of this thread stay after. */
  static void setBefore(ByteBuffer file, int at, long word) {
    WORD.setOpaque(file, at, word);
    VarHandle.storeStoreFence();
  }
}
