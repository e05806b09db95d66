// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

/**
 * How a library is called, where names and numbers alone do not tell: the native code has one file
 * per shape, and says there what is different.
 */
public enum CallShape {
  /** {@code commInitRank(comm*, int size, id by value, int rank)} with an id of 128 bytes. */
  NCCL(0, 128),
  /** {@code commInitRank(comm*, size_t size, id by value, int rank)} with an id of 4096 bytes. */
  ONECCL(1, 4096),
  /** As NCCL, with an id of 1024 bytes and a length. */
  GAUDI(2, 1032),
  /** {@code init(uint32_t size, const id*, uint32_t rank, comm*)}; one buffer to broadcast. */
  ASCEND(3, 4108),
  /** {@code init(comms*, int count, devices*, ranks*, int size, const id*)}. */
  CNCL(4, 136),
  /** {@code init(comm*, int rank, int size, const id*)}; the communicator always comes first. */
  XCCL(5, 128);

  private final int code;
  private final int idBytes;

  CallShape(int code, int idBytes) {
    this.code = code;
    this.idBytes = idBytes;
  }

  /** The number that stands for this shape in the native code. */
  int code() {
    return code;
  }

  /** Bytes of a unique id. */
  public int idBytes() {
    return idBytes;
  }

  /** Whether a broadcast has one buffer for what the root sends and all receive. */
  boolean broadcastsInPlace() {
    return this == ASCEND;
  }
}
