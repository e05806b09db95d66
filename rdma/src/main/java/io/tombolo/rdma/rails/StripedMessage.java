// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.LocalMemory;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.staged.PostedMessage;

/** A message that travels in stripes, and the range that it lacks. Mutable and reused. */
final class StripedMessage {
  private LocalMemory memory;
  private long tag;
  private long position;
  private long sizeBytes;
  private long from;
  private long to;
  private boolean isWhole;
  private int riding;
  private long movedBytes;

  void set(PostedMessage message) {
    memory = message.memory();
    tag = message.tag();
    position = message.position();
    sizeBytes = message.sizeBytes();
    from = 0;
    to = sizeBytes;
    isWhole = false;
    riding = 0;
    movedBytes = 0;
  }

  void clear() {
    memory = null;
  }

  long sizeBytes() {
    return sizeBytes;
  }

  /** Whether nothing of it is lacking, and there is nothing to cut. */
  boolean isWhole() {
    return isWhole;
  }

  /** Where what it lacks begins. */
  long from() {
    return from;
  }

  /** Where that ends. */
  long to() {
    return to;
  }

  /** Stripes of it that travel. */
  int riding() {
    return riding;
  }

  /** Bytes of it that have arrived, of which none counts twice. */
  long movedBytes() {
    return movedBytes;
  }

  /** Gives the stripe at {@code offset} to {@code channel}; whether there was room for it. */
  boolean ride(Channel channel, boolean isSending, long offset, int bytes) {
    long name = bytes == sizeBytes ? tag : nameOfPart(offset);
    boolean hasRoom =
        isSending
            ? channel.send(name, memory, position + offset, bytes)
            : channel.receive(name, memory, position + offset, bytes);
    riding += hasRoom ? 1 : 0;
    return hasRoom;
  }

  /** Shows that both sides' messages are of one size, too, of which a part says nothing. */
  private long nameOfPart(long offset) {
    long mixed = (sizeBytes * 0x9e3779b97f4a7c15L ^ offset) * 0xff51afd7ed558ccdL;
    return tag ^ mixed ^ (mixed >>> 32);
  }

  /** A stripe of {@code bytes} has arrived. */
  void arrived(int bytes) {
    riding--;
    movedBytes += bytes;
  }

  /** The rails have got all stripes of it: but for those that are lost, it lacks nothing. */
  void allGiven() {
    isWhole = true;
  }

  /** The rails have got what it lacked before {@code offset}. */
  void givenUpTo(long offset) {
    from = isWhole ? from : offset;
  }

  /** The stripe at {@code offset} will not arrive. */
  void lost(long offset, int bytes) {
    riding--;
    from = isWhole ? offset : Math.min(from, offset);
    to = isWhole ? offset + bytes : Math.max(to, offset + bytes);
    isWhole = false;
  }

  /** What has arrived of the range that it lacks will come again, and counts then. */
  void recount() {
    movedBytes = isWhole ? sizeBytes : sizeBytes - (to - from);
  }

  /** Nothing of it is lacking, the peer says. */
  void lacksNothing() {
    isWhole = true;
    recount();
  }

  /** The bytes from {@code begin} to {@code end} are lacking, the peer says. */
  void lacks(long begin, long end) {
    isWhole = false;
    from = begin;
    to = end;
    recount();
  }
}
