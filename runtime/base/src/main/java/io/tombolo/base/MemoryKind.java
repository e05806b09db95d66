package io.tombolo.base;

/** Where memory lives, and so who may touch it. */
public enum MemoryKind {
  /** Owned by a device runtime: host code must never dereference its address. */
  DEVICE,
  /** Host memory that a device can read and write directly. */
  PINNED,
  /** Ordinary host memory. */
  HOST
}
