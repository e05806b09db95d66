// SPDX-License-Identifier: Apache-2.0
/**
 * The loss laboratory: goodput, repeats and recovery of point-to-point messages on a link where
 * things go wrong on purpose, beside competitors on the same link.
 *
 * <p>Start at {@link io.tombolo.bench.loss.P2pCommand}. A way of carrying the messages is a {@link
 * io.tombolo.bench.loss.Candidate}; which there are is in {@link io.tombolo.bench.loss.Candidates}.
 */
package io.tombolo.bench.loss;
