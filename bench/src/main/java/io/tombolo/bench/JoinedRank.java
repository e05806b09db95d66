// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.work.WorkStage;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * One rank of the benchmark, in whatever job it finds itself: measures, and on rank 0 prints for
 * all.
 */
final class JoinedRank {
  private final JobEnvironment environment;
  private final Settings settings;
  private final Consumer<String> out;
  private final Supplier<CoreSpeed> speed = Suppliers.memoize(CoreSpeed::measure);

  JoinedRank(JobEnvironment environment, Settings settings, Consumer<String> out) {
    this.environment = environment;
    this.settings = settings;
    this.out = out;
  }

  /**
   * Joins, measures, leaves; the number of wrong elements that this rank knows of (rank 0:
   * everyone's).
   */
  long run() {
    try (Store store = environment.openStore();
        Communicator communicator = Communicator.join(environment);
        RankRun run =
            new RankRun(
                communicator,
                operationOf(communicator),
                settings,
                warmUp(store, communicator),
                injectionOf(communicator),
                environment.timeout())) {
      Gathering gathering =
          new Gathering(store, communicator.rank(), communicator.size(), environment.timeout());
      Forecast forecast = new Forecast(communicator.context());
      RowPrinter printer = new RowPrinter(out, settings.json());
      if (communicator.rank() == 0) {
        printer.header(
            communicator.clustering(),
            settings,
            forecast.isCalibrated(),
            communicator.reductions());
      }
      long wrong = 0;
      for (long block : settings.blocks(run.operation())) {
        RankRun.Result outOfPlace = run.outOfPlace(block);
        Optional<Row> row = row(run.operation(), block, false, gathering.add(outOfPlace), forecast);
        Optional<RankRun.Result> inPlace = run.inPlace(block);
        Optional<Row> rowInPlace =
            inPlace.flatMap(
                result -> row(run.operation(), block, true, gathering.add(result), forecast));
        row.ifPresent(one -> printer.rows(one, rowInPlace));
        wrong += outOfPlace.wrong() + inPlace.map(RankRun.Result::wrong).orElse(0L);
      }
      if (settings.timeline() != null) {
        TimelineFile.write(
            Path.of(settings.timeline()),
            run.traces(),
            store,
            communicator.rank(),
            communicator.size(),
            environment.timeout());
      }
      if (communicator.rank() == 0) {
        printer.footer();
        wrong = printer.wrong();
      }
      return wrong;
    }
  }

  private CollectiveCall call(Operation operation, long block, boolean inPlace) {
    return operation.call(block, settings.type(), settings.opOf(operation), inPlace);
  }

  private double boundUs(Forecast forecast, CollectiveCall call, Breakdown breakdown) {
    return forecast.boundUs(call, speed.get(), breakdown.medianUs(WorkStage.VENDOR));
  }

  private WarmUpCalls warmUp(Store store, Communicator communicator) {
    return new WarmUpCalls(
        store, communicator.rank(), communicator.size(), settings.warmup(), environment.timeout());
  }

  private Injection injectionOf(Communicator communicator) {
    boolean isVictim = communicator.rank() == operationOf(communicator).lastWithResult();
    return Injection.parse(isVictim ? settings.inject() : null);
  }

  private Operation operationOf(Communicator communicator) {
    return Operations.of(settings.operation(), communicator.clustering(), communicator.rank());
  }

  /** What everyone's results make; nothing where they did not come. */
  private Optional<Row> row(
      Operation operation,
      long block,
      boolean inPlace,
      List<RankRun.Result> all,
      Forecast forecast) {
    if (all.isEmpty()) {
      return Optional.empty();
    }
    Times cold = new Times(all.stream().map(RankRun.Result::cold).toList());
    Times times = new Times(all.stream().map(RankRun.Result::times).toList());
    double processorNs =
        all.stream().mapToDouble(RankRun.Result::processorNsPerCall).average().orElseThrow();
    long wrong = all.stream().mapToLong(RankRun.Result::wrong).sum();
    long longestCycleNs =
        all.stream().mapToLong(RankRun.Result::longestCycleNs).max().orElseThrow();
    double copiedBytes = all.stream().mapToDouble(RankRun.Result::copiedBytesPerCall).sum();
    Breakdown breakdown = new Breakdown();
    all.forEach(result -> breakdown.add(result.breakdown()));
    IntFunction<CollectiveCall> calls = rank -> call(operation.at(rank), block, inPlace);
    return Optional.of(
        Row.of(
            operation,
            operation.total(block),
            settings.type(),
            settings.op(),
            inPlace,
            cold,
            times,
            processorNs,
            forecast.timeUs(calls),
            wrong,
            longestCycleNs,
            copiedBytes,
            breakdown.isEmpty() ? 0 : boundUs(forecast, calls.apply(operation.rank()), breakdown),
            breakdown));
  }
}
