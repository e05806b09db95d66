// SPDX-License-Identifier: Apache-2.0
/**
 * A small classifier of handwritten digits and its data-parallel training: pure, seeded, the same
 * on every machine.
 *
 * <p>Start at {@link io.tombolo.cli.train.Training}; what joins the ranks is the one method of
 * {@link io.tombolo.cli.train.GradientSum}.
 */
package io.tombolo.cli.train;
