package io.tombolo.adaptors.device;

/** How a runtime's calls differ from CUDA's in more than names; order as in {@code driver.h}. */
public enum CallShape {
  /** A thread's device is set by its ordinal, not by a context. */
  ORDINAL_IS_CONTEXT,
  /** Error texts are returned, not stored through a pointer. */
  TEXT_IS_RETURNED,
  /** Waiting for a value takes a mask too. */
  WAIT_HAS_MASK
}
