// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableSet;

/**
 * How a runtime's calls differ from CUDA's in more than names; bits in the order of {@code
 * driver.c}.
 */
public enum RuntimeCallShape {
  /** A thread's device is set by its ordinal, not by a context. */
  ORDINAL_IS_CONTEXT(1),
  /** Error texts are returned, not stored through a pointer. */
  TEXT_IS_RETURNED(2),
  /** Waiting for a value takes a mask too. */
  WAIT_HAS_MASK(4),
  /** AscendCL, whose calls mostly have other arguments. */
  ASCEND_CL(8, Role.ERROR_NAME, Role.DEVICE_GET, Role.PCI_BUS_ID),
  /** CNRT, with other orders of arguments, and gates in place of waits for words. */
  CNRT(16, Role.HOST_REGISTER, Role.HOST_UNREGISTER, Role.WAIT_VALUE, Role.WRITE_VALUE),
  /** Level Zero, with drivers, contexts, command lists and descriptors; gates as in CNRT. */
  LEVEL_ZERO(
      32, Role.ERROR_NAME, Role.ERROR_TEXT, Role.SET_CURRENT, Role.WAIT_VALUE, Role.WRITE_VALUE),
  /** TopsRT, whose streams wait for words of the device; gates as in CNRT. */
  TOPS(64, Role.WAIT_VALUE, Role.WRITE_VALUE),
  /** A device's memory is asked for when it is the thread's own. */
  MEMORY_IS_THE_CURRENT_ONE(128),
  /**
   * Streams can neither be held by the host, nor tell it where they are, but by events that it
   * asks.
   */
  HOST_ORDERED(256, Role.WAIT_VALUE, Role.WRITE_VALUE),
  /** SynapseAI, whose calls name a device that the process has acquired. */
  SYNAPSE_AI(512, Role.ERROR_NAME, Role.PCI_BUS_ID, Role.SET_CURRENT),
  /** XRE, which has fewer calls than others. */
  XRE(
      1024,
      Role.INIT,
      Role.ERROR_NAME,
      Role.ERROR_TEXT,
      Role.DEVICE_GET,
      Role.DEVICE_NAME,
      Role.TOTAL_MEMORY,
      Role.STREAM_QUERY,
      Role.FILL),
  /**
   * All that is known of an address is told at once, in a struct that begins with kind and device.
   */
  PLACE_IS_TOLD_AT_ONCE(2048);

  private final int bit;
  private final ImmutableSet<Role> lacking;

  RuntimeCallShape(int bit, Role... lacking) {
    this.bit = bit;
    this.lacking = ImmutableSet.copyOf(lacking);
  }

  /** What such a runtime has no function for, and the shim none to call. */
  ImmutableSet<Role> lacking() {
    return lacking;
  }

  /** The bit that stands for this shape in the shim. */
  int bit() {
    return bit;
  }
}
