// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

/** How far bytes travel, the cheapest first. */
public enum Nearness {
  /** They are in the process already. */
  PROCESS("same process"),
  /** Between processes of one host. */
  HOST("same host"),
  /** Between hosts, both ends of one vendor. */
  VENDOR("same vendor"),
  /** Between hosts and vendors. */
  OTHER("other");

  private final String words;

  Nearness(String words) {
    this.words = words;
  }

  /** The name for people. */
  public String words() {
    return words;
  }
}
