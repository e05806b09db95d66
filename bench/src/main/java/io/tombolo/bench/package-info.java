// SPDX-License-Identifier: Apache-2.0
/**
 * The collective benchmark: time, bandwidth and correctness of one operation over a range of sizes.
 *
 * <p>Start at {@link io.tombolo.bench.BenchCommand}; one rank's work is {@link
 * io.tombolo.bench.RankRun}, what it computes with is {@link io.tombolo.bench.Pattern}.
 */
package io.tombolo.bench;
