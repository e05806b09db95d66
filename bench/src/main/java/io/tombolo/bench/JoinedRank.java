package io.tombolo.bench;

import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.JobEnvironment;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.store.Store;
import java.util.List;
import java.util.function.Consumer;

/**
 * One rank of the benchmark, in whatever job it finds itself: measures, and on rank 0 prints for
 * all.
 */
final class JoinedRank {
  private final JobEnvironment environment;
  private final Settings settings;
  private final Consumer<String> out;

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
            new RankRun(communicator, settings, injectionOf(communicator), environment.timeout())) {
      Gathering gathering =
          new Gathering(store, communicator.rank(), communicator.size(), environment.timeout());
      Forecast forecast = new Forecast(communicator.context());
      RowPrinter printer = new RowPrinter(out, settings.json());
      if (communicator.rank() == 0) {
        printer.header(communicator.clustering(), settings, forecast.isCalibrated());
      }
      long wrong = 0;
      for (long count : settings.counts()) {
        RankRun.Result outOfPlace = run.outOfPlace(count);
        RankRun.Result inPlace = run.inPlace(count);
        wrong += outOfPlace.wrong() + inPlace.wrong();
        List<RankRun.Result> all = gathering.add(outOfPlace);
        List<RankRun.Result> allInPlace = gathering.add(inPlace);
        if (communicator.rank() == 0) {
          printer.rows(row(count, false, all, forecast), row(count, true, allInPlace, forecast));
        }
      }
      if (communicator.rank() == 0) {
        printer.footer();
        wrong = printer.wrong();
      }
      return wrong;
    }
  }

  /** The last rank's results are the ones to damage. */
  private Injection injectionOf(Communicator communicator) {
    return Injection.parse(
        communicator.rank() == communicator.size() - 1 ? settings.inject() : null);
  }

  private Row row(long count, boolean inPlace, List<RankRun.Result> all, Forecast forecast) {
    CollectiveCall call = CollectiveCall.allReduce(count, settings.type(), settings.op(), inPlace);
    Times times = new Times(all.stream().map(RankRun.Result::times).toList());
    long wrong = all.stream().mapToLong(RankRun.Result::wrong).sum();
    return Row.of(
        count,
        settings.type(),
        settings.op(),
        inPlace,
        all.size(),
        times,
        forecast.timeUs(call),
        wrong);
  }
}
