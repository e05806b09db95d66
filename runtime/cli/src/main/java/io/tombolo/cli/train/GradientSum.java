// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

/** Adds up a vector over all ranks of a job. */
@FunctionalInterface
public interface GradientSum {
  /** The sum of a job of one rank. */
  GradientSum ALONE = values -> {};

  /** Replaces {@code values} by their sum over all ranks; every rank gets the same bits. */
  void sum(float[] values);
}
