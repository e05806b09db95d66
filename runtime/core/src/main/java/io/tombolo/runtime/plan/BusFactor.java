// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/**
 * What the busiest link carries of an operation, in parts of its size: nccl-tests, PERFORMANCE.md.
 */
public enum BusFactor {
  /** Everything once. */
  ONE("1"),
  /** All but a rank's own part. */
  OTHERS("(n-1)/n"),
  /** All but a rank's own part, in and out again. */
  OTHERS_TWICE("2(n-1)/n");

  private final String text;

  BusFactor(String text) {
    this.text = text;
  }

  /** The factor among {@code ranks} ranks. */
  public double among(int ranks) {
    return switch (this) {
      case ONE -> 1;
      case OTHERS -> (ranks - 1.0) / ranks;
      case OTHERS_TWICE -> 2.0 * (ranks - 1) / ranks;
    };
  }

  /** The factor among n ranks, for people. */
  public String text() {
    return text;
  }
}
