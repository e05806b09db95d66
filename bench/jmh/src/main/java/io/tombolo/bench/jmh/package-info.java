// SPDX-License-Identifier: Apache-2.0
/**
 * Microbenchmarks of the hot paths, run by {@code bench/jmh/run}; start at {@link
 * io.tombolo.bench.jmh.CalibrationBench}. Benchmarks of what is package-private live in the package
 * that they time.
 */
package io.tombolo.bench.jmh;
