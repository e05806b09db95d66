// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.trace;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.recorder.FlightCall;
import io.tombolo.runtime.recorder.FlightEnd;
import io.tombolo.runtime.recorder.FlightHeader;
import io.tombolo.runtime.recorder.FlightLog;
import io.tombolo.runtime.recorder.FlightRecord;
import io.tombolo.runtime.recorder.FlightState;
import io.tombolo.runtime.recorder.FlightStep;
import java.util.List;
import java.util.Optional;

/** Recordings that nobody has made, on a host that is not this one. */
final class Flights {
  static final FlightEnd NO_END = new FlightEnd(FlightEnd.Kind.NONE, 0, "");
  static final FlightEnd CLOSED = new FlightEnd(FlightEnd.Kind.CLOSED, 1, "");

  private Flights() {}

  static FlightCall sum(long count) {
    return new FlightCall(
        Collective.ALL_REDUCE,
        DataType.F32,
        Reduction.Kind.BY,
        Optional.of(ReduceOp.SUM),
        0,
        count,
        1,
        FlightCall.Way.NONE,
        -1);
  }

  /** A collective that was submitted at {@code atNs}. */
  static FlightRecord collective(long sequence, FlightState state, long count, long atNs) {
    return new FlightRecord(
        sequence, state, sum(count), 4 * count, Optional.empty(), atNs, atNs, atNs);
  }

  /** A sum of 8 that stands at {@code step}. */
  static FlightRecord at(FlightStep step, long sequence, FlightState state) {
    return new FlightRecord(
        sequence,
        state,
        sum(8),
        32,
        Optional.of(step),
        5_000,
        6_000,
        state == FlightState.STARTED ? 0 : 7_000);
  }

  static Recording recording(
      int rank, int size, long job, long pid, long epochNs, FlightEnd end, FlightRecord... all) {
    FlightHeader header =
        new FlightHeader(
            128,
            rank,
            size,
            rank,
            0,
            job,
            0,
            0,
            epochNs,
            "emu-amd",
            "node7",
            new RankClaim("0123456789abcdef", "pid:[1]", pid, 7, pid),
            "");
    return new Recording(
        "rank-%s.job-%s.flight".formatted(rank, job),
        new FlightLog(header, end, ImmutableList.copyOf(List.of(all)), ImmutableList.of(), 0, 0));
  }
}
