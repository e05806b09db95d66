package io.tombolo.adaptors.ccl;

/**
 * How a library is called, where names and numbers alone do not tell: the native code has one
 * function per shape.
 */
public enum CallShape {
  /** {@code commInitRank(comm*, int size, id by value, int rank)} with an id of 128 bytes. */
  NCCL(0, 128),
  /** {@code commInitRank(comm*, size_t size, id by value, int rank)} with an id of 4096 bytes. */
  ONECCL(1, 4096);

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
}
