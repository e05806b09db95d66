// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.LocalMemory;

/** One posted message and how far it has got. Mutable and reused by its {@link TransferQueue}. */
public final class PostedMessage {
  private long tag;
  private LocalMemory memory;
  private long offset;
  private long sizeBytes;
  private long moved;
  private long aimed;

  void set(long tag, LocalMemory memory, long offset, long sizeBytes) {
    this.tag = tag;
    this.memory = memory;
    this.offset = offset;
    this.sizeBytes = sizeBytes;
    this.moved = 0;
    this.aimed = 0;
  }

  void clear() {
    memory = null;
  }

  /** What the user calls it. */
  public long tag() {
    return tag;
  }

  /** Where its bytes are. */
  public LocalMemory memory() {
    return memory;
  }

  /** How many. */
  public long sizeBytes() {
    return sizeBytes;
  }

  /** Bytes whose copy has started. */
  long moved() {
    return moved;
  }

  void goBack(long toMoved) {
    moved = toMoved;
  }

  boolean isAllMoved() {
    return moved == sizeBytes;
  }

  /** Bytes whose place the wire knows already. */
  long aimed() {
    return aimed;
  }

  boolean isAllAimed() {
    return aimed == sizeBytes;
  }

  /** Where in the memory the next byte goes whose place the wire does not know. */
  long aimPosition() {
    return offset + aimed;
  }

  void advanceAim(int bytes) {
    aimed += bytes;
  }

  /** Where in the memory the next byte is. */
  public long position() {
    return offset + moved;
  }

  void advance(int bytes) {
    moved += bytes;
  }
}
