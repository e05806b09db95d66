// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

/** Where memory lives, and so who may touch it. */
public enum MemoryKind {
  /** Owned by a device runtime: host code must never dereference its address. */
  DEVICE,
  /** Host memory that a device can read and write directly. */
  PINNED,
  /** Memory that the host and a device use at one address, and that may move between them. */
  MANAGED,
  /** Ordinary host memory. */
  HOST
}
