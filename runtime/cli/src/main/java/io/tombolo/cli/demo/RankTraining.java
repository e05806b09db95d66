// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.cli.train.Digits;
import io.tombolo.cli.train.Network;
import io.tombolo.cli.train.Schedule;
import io.tombolo.cli.train.Share;
import io.tombolo.cli.train.Training;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.Traffic;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.topology.Clustering;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One rank's part of the demo: joins in, trains, and reports. Rank 0 also reports on the way. Not
 * thread-safe.
 */
final class RankTraining {
  private final Communicator communicator;
  private final Duration timeout;
  private final Consumer<RankReport> reports;

  RankTraining(Communicator communicator, Duration timeout, Consumer<RankReport> reports) {
    this.communicator = communicator;
    this.timeout = timeout;
    this.reports = reports;
  }

  /** Trains as {@code options} say, to the end. */
  void run(TrainingOptions options) {
    reports.accept(joined());
    Digits digits = Digits.load();
    Network network = options.model().network();
    Schedule schedule = options.schedule(digits.train());
    int length = Training.vectorLength(network);
    Share share = new Share(communicator.rank(), communicator.size());
    try (DeviceGradientSum sum = new DeviceGradientSum(communicator, length, timeout)) {
      Bytes before = counted();
      Training training = new Training(network, digits.train(), schedule, share, sum);
      int stepsPerEpoch = Schedule.stepsPerEpoch(digits.train(), schedule.batchSize());
      double loss = train(training, digits, schedule.steps(), stepsPerEpoch, options.killSwitch());
      reports.accept(
          new RankReport.Finished(
              communicator.rank(),
              training.weightHash(),
              loss,
              training.accuracy(digits.test()),
              counted().minus(before),
              planned(length).times(schedule.steps())));
    }
  }

  private double train(
      Training training, Digits digits, int steps, int stepsPerEpoch, KillSwitch killSwitch) {
    double loss = 0;
    double lossSum = 0;
    for (int step = 0; step < steps; step++) {
      killSwitch.check(communicator.rank(), step);
      lossSum += training.step();
      int stepsInEpoch = step % stepsPerEpoch + 1;
      if (stepsInEpoch == stepsPerEpoch || step == steps - 1) {
        loss = lossSum / stepsInEpoch;
        lossSum = 0;
        reportProgress(step + 1, loss, training, digits);
      }
    }
    return loss;
  }

  private void reportProgress(int steps, double loss, Training training, Digits digits) {
    if (communicator.rank() == 0) {
      reports.accept(new RankReport.Progress(0, steps, loss, training.accuracy(digits.test())));
    }
  }

  private RankReport joined() {
    int rank = communicator.rank();
    Clustering clustering = communicator.clustering();
    int cluster = clustering.clusterOf(rank).index();
    Map<String, String> routes = new TreeMap<>();
    communicator
        .routes()
        .forEach(
            (peer, route) -> {
              if (clustering.clusterOf(peer).index() != cluster) {
                routes.put(peer.toString(), route);
              }
            });
    return new RankReport.Joined(
        rank,
        clustering.site(rank).vendor(),
        clustering.site(rank).device(),
        cluster,
        clustering.reason(rank),
        communicator.reductions(),
        routes);
  }

  private Bytes counted() {
    Traffic traffic = communicator.traffic();
    return new Bytes(traffic.intraBytes(), traffic.crossBytes());
  }

  private Bytes planned(int length) {
    Plan plan =
        communicator.plan(CollectiveCall.allReduce(length, DataType.F32, ReduceOp.SUM, true));
    return new Bytes(plan.intraBytes(), plan.crossBytes());
  }
}
