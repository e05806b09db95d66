// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/** Who moves or combines the bytes of a step. */
public enum Mover {
  /** The vendor's library, in its own way. */
  LIBRARY("the vendor's library"),
  /** The device's copy engine, without a processor. */
  ENGINE("the device's copy engine"),
  /** A kernel on the device. */
  KERNEL("a kernel of the device"),
  /** The receiver's processor, which reads the sender's memory. */
  RECEIVER("the receiver's processor"),
  /** A processor of the host, as in the host library. */
  PROCESSOR("the processor");

  private final String words;

  Mover(String words) {
    this.words = words;
  }

  /** It in words, to follow "by". */
  public String words() {
    return words;
  }
}
