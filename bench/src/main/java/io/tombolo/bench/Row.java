// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.collect.ImmutableMap;
import com.google.gson.FieldNamingPolicy;
import com.google.gson.GsonBuilder;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;

/**
 * One line of the result. In JSON the names have underscores: {@code time_us}, {@code in_place}.
 *
 * @param size bytes of the larger of a rank's vectors
 * @param count elements of it
 * @param type their type
 * @param op how they combine, or {@code none}
 * @param timeUs the slowest rank's median time from call to completion, in µs
 * @param predictedUs what the plan was predicted to take, in µs
 * @param algbw size / time, in GB/s (10⁹ bytes)
 * @param busbw algbw × {@link Operation#busFactor}: what each rank's link carries
 * @param wrong elements that were not as expected, over all ranks
 * @param inPlace whether input and output were the same memory
 * @param p50Us median over all ranks' times, in µs
 * @param p99Us 99th percentile of them
 * @param minUs least of them
 * @param coldUs median over all ranks' first 20 calls of this size, or as many as came before the
 *     timed ones; null if none did
 * @param cpuUs processor time of a rank's process for each of the timed calls, the ranks' mean, in
 *     µs
 * @param longestCycleUs the longest round that any rank's agent has made since it joined, in µs
 * @param copiedBytes bytes that processors copied between messages and fabrics' slots for each of
 *     the timed calls, over all ranks
 * @param boundUs the {@link HierarchicalBound}, in µs; null if nobody asked for a breakdown
 * @param breakdown the same calls' times in each stage, by its name; null if nobody asked
 */
record Row(
    long size,
    long count,
    String type,
    String op,
    double timeUs,
    double predictedUs,
    double algbw,
    double busbw,
    long wrong,
    boolean inPlace,
    double p50Us,
    double p99Us,
    double minUs,
    Double coldUs,
    double cpuUs,
    double longestCycleUs,
    double copiedBytes,
    Double boundUs,
    ImmutableMap<String, Breakdown.Spread> breakdown) {

  /**
   * The row for {@code operation}, which took {@code cold} at first, then {@code times}, and {@code
   * processorNs} a call and rank {@code copiedBytes} a call, and cannot take less than {@code
   * boundUs} between clusters, on {@code count} elements.
   */
  static Row of(
      Operation operation,
      long count,
      DataType type,
      ReduceOp op,
      boolean inPlace,
      Times cold,
      Times times,
      double processorNs,
      double predictedUs,
      long wrong,
      long longestCycleNs,
      double copiedBytes,
      double boundUs,
      Breakdown breakdown) {
    long size = count * type.sizeBytes();
    double algbw = (double) size / times.slowestMedianNs();
    return new Row(
        size,
        count,
        type.text(),
        operation.isReducing() ? op.text() : "none",
        times.slowestMedianNs() / 1e3,
        rounded(predictedUs),
        rounded(algbw),
        rounded(algbw * operation.busFactor()),
        wrong,
        inPlace,
        times.percentileNs(50) / 1e3,
        times.percentileNs(99) / 1e3,
        times.minNs() / 1e3,
        cold.isEmpty() ? null : cold.percentileNs(50) / 1e3,
        rounded(processorNs / 1e3),
        longestCycleNs / 1e3,
        rounded(copiedBytes),
        breakdown.isEmpty() ? null : rounded(boundUs),
        breakdown.isEmpty() ? null : breakdown.byName());
  }

  /** The row as a JSON object on one line. */
  String toJson() {
    return new GsonBuilder()
        .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
        .create()
        .toJson(this);
  }

  private static double rounded(double value) {
    return Math.round(value * 1e6) / 1e6;
  }
}
