// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.work.WorkSpan;
import io.tombolo.runtime.work.WorkStage;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * How long an operation is in each stage, whoever else is in it at the same time. One thread at a
 * time uses it.
 */
public final class Stopwatch {
  /** For operations that nobody times: it does nothing. */
  static final Stopwatch NONE = new Stopwatch(Ticker.systemTicker(), false);

  private final Ticker ticker;
  private final boolean runs;
  private final Map<WorkStage, Lap> laps = new EnumMap<>(WorkStage.class);
  private final List<WorkSpan> spans = new ArrayList<>(0);

  private Stopwatch(Ticker ticker, boolean runs) {
    this.ticker = ticker;
    this.runs = runs;
  }

  /** A stopwatch that goes by {@code ticker}. */
  static Stopwatch of(Ticker ticker) {
    return new Stopwatch(ticker, true);
  }

  private static final class Lap {
    private long sinceNs;
    private long totalNs;
    private int inside;
  }

  /** Something enters {@code stage}. */
  public void begin(WorkStage stage) {
    if (runs) {
      Lap lap = laps.computeIfAbsent(stage, key -> new Lap());
      if (lap.inside++ == 0) {
        lap.sinceNs = ticker.read();
      }
    }
  }

  /** Something leaves {@code stage}; nothing happens if nothing is in it. */
  public void end(WorkStage stage) {
    if (runs) {
      Lap lap = laps.get(stage);
      if (lap != null && lap.inside > 0 && --lap.inside == 0) {
        long nowNs = ticker.read();
        lap.totalNs += nowNs - lap.sinceNs;
        spans.add(new WorkSpan(stage, lap.sinceNs, nowNs));
      }
    }
  }

  /** Leaves {@code stage} and enters {@code next}. */
  void pass(WorkStage stage, WorkStage next) {
    end(stage);
    begin(next);
  }

  /** Nanoseconds in each stage that was left, and that the operation ever came to. */
  ImmutableMap<WorkStage, Long> times() {
    return ImmutableMap.copyOf(
        Maps.transformValues(Maps.filterValues(laps, lap -> lap.inside == 0), lap -> lap.totalNs));
  }

  /** When something was in a stage, in the order in which it was left. */
  ImmutableList<WorkSpan> spans() {
    return ImmutableList.copyOf(spans);
  }

  /** The stage of steps that occupy {@code resource}. */
  public static WorkStage stageOf(Resource resource) {
    return switch (resource.kind()) {
      case VENDOR, FLAT -> WorkStage.VENDOR;
      case COPY -> WorkStage.COPY;
      case SEND -> WorkStage.SEND;
      case RECEIVE -> WorkStage.RECEIVE;
      case HOST -> WorkStage.HOST;
    };
  }
}
