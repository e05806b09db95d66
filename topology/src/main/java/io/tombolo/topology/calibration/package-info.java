// SPDX-License-Identifier: Apache-2.0
/**
 * What paths of a job were measured to cost: which pairs are worth measuring, how times become α +
 * β·bytes, and the figures as a value that all ranks can agree on.
 *
 * <p>Start at {@link io.tombolo.topology.calibration.Calibration}.
 */
package io.tombolo.topology.calibration;
