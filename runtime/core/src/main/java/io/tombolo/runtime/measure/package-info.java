// SPDX-License-Identifier: Apache-2.0
/**
 * Measures what the paths of a job cost, keeps the figures, and brings them into later jobs.
 *
 * <p>Start at {@link io.tombolo.runtime.measure.Measurement}.
 */
package io.tombolo.runtime.measure;
