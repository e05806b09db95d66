// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

/**
 * How far apart two devices are: the worst thing on the way between them, best first. The symbols
 * are those of {@code nvidia-smi topo -m} where it has one.
 *
 * <p>Latencies and bandwidths are nominal: of the order of those in NCCL's tuning tables
 * (src/graph/tuning.cc, src/graph/topo.h), and replaced by measurement where there is one.
 */
public enum LinkClass {
  /** The device itself. */
  SELF("X", "the device itself", 0, 5_000_000),
  /** The vendor's own link. */
  VENDOR("LNK", "a vendor's own link, with its kind and number: NV18, XGMI1, HL3", 600, 25_000),
  /** Below one PCI switch. */
  SWITCH("PIX", "PCI bridges only, not the host bridge", 1_000, 12_000),
  /** Through the host bridge. */
  HOST_BRIDGE("PHB", "one PCI host bridge", 1_300, 12_000),
  /** Between host bridges of one NUMA node. */
  NUMA("NODE", "host bridges of one NUMA node", 1_500, 12_000),
  /** Between NUMA nodes. */
  SYSTEM("SYS", "the link between NUMA nodes", 2_000, 10_000),
  /** Between hosts. */
  NETWORK("NET", "the network between hosts", 5_000, 12_500);

  private final String symbol;
  private final String meaning;
  private final long latencyPs;
  private final int megabytesPerSecond;

  LinkClass(String symbol, String meaning, long latencyNs, int megabytesPerSecond) {
    this.symbol = symbol;
    this.meaning = meaning;
    this.latencyPs = latencyNs * 1_000;
    this.megabytesPerSecond = megabytesPerSecond;
  }

  /** Its mark in a matrix. */
  public String symbol() {
    return symbol;
  }

  /** What it goes through, for a legend. */
  public String meaning() {
    return meaning;
  }

  /** Time that a message of no bytes takes. */
  public long latencyPs() {
    return latencyPs;
  }

  /** What it carries where nothing better is known, one direction. */
  public int megabytesPerSecond() {
    return megabytesPerSecond;
  }

  /** The farther of the two. */
  public LinkClass orFarther(LinkClass other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
