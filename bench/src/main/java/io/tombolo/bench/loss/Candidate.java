// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

/** A way of carrying messages over a link where things go wrong. */
interface Candidate {
  /** Carries what {@code trial} says, once. Blocks; throws the error of what failed. */
  LossResult run(Trial trial);
}
