package io.tombolo.adaptors.device;

/**
 * How a runtime's calls differ from CUDA's in more than names; bits in the order of {@code
 * driver.c}.
 */
public enum CallShape {
  /** A thread's device is set by its ordinal, not by a context. */
  ORDINAL_IS_CONTEXT(1),
  /** Error texts are returned, not stored through a pointer. */
  TEXT_IS_RETURNED(2),
  /** Waiting for a value takes a mask too. */
  WAIT_HAS_MASK(4),
  /** AscendCL, whose calls mostly have other arguments. */
  ASCEND_CL(8);

  private final int bit;

  CallShape(int bit) {
    this.bit = bit;
  }

  /** The bit that stands for this shape in the shim. */
  int bit() {
    return bit;
  }
}
