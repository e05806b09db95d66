// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.cli.train.Digits;
import io.tombolo.cli.train.Network;
import io.tombolo.cli.train.Schedule;
import io.tombolo.cli.train.Training;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.topology.Clustering;
import java.util.DoubleSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One rank's part of the demo: joins in, trains, and reports. The first rank also reports on the
 * way. Not thread-safe.
 */
final class RankTraining {
  private final JobEnvironment environment;
  private final TrainingOptions options;
  private final Consumer<RankReport> reports;
  private final Digits digits = Digits.load();
  private final Schedule schedule;
  private final Training training;
  private final int vectorLength;
  private double loss;

  RankTraining(JobEnvironment environment, TrainingOptions options, Consumer<RankReport> reports) {
    this.environment = environment;
    this.options = options;
    this.reports = reports;
    this.schedule = options.schedule(digits.train());
    Network network = options.model().network();
    this.training = new Training(network, digits.train(), schedule);
    this.vectorLength = Training.vectorLength(network);
  }

  /** Trains to the end. */
  void run() {
    long startNs = System.nanoTime();
    try (TrainingGroup group =
        new TrainingGroup(communicator(), training, vectorLength, environment.timeout())) {
      if (options.isNewcomer()) {
        group.catchUp();
        reports.accept(wentOn(group.communicator(), startNs, true, ""));
      } else {
        reports.accept(joined(group.communicator()));
      }
      train(group);
      reports.accept(
          new RankReport.Finished(
              environment.rank(),
              training.weightHash(),
              loss,
              training.accuracy(digits.test()),
              group.counted(),
              group.planned()));
    }
  }

  private Communicator communicator() {
    return options.isNewcomer()
        ? Communicator.builder()
            .environment(environment.toVariables())
            .joinGrowing(TrainingGroup.REPLACEMENT)
        : Communicator.join(environment);
  }

  private void train(TrainingGroup group) {
    KillSwitch killSwitch = options.killSwitch();
    int stepsPerEpoch = Schedule.stepsPerEpoch(digits.train(), schedule.batchSize());
    DoubleSummaryStatistics losses = new DoubleSummaryStatistics();
    while (training.steps() < schedule.steps()) {
      if (!options.isNewcomer()) {
        killSwitch.check(environment.rank(), training.steps());
      }
      try {
        losses.accept(group.step());
      } catch (TomboloException e) {
        goOn(group, e);
      }
      boolean isPassDone =
          training.steps() % stepsPerEpoch == 0 || training.steps() == schedule.steps();
      if (isPassDone && losses.getCount() > 0) {
        loss = losses.getAverage();
        losses = new DoubleSummaryStatistics();
        reportProgress(group.communicator());
      }
    }
  }

  /** If ranks have died of which {@code cause} tells, and the user wants the others to go on. */
  private void goOn(TrainingGroup group, TomboloException cause) {
    if (!options.isSurviving() || group.communicator().failure().isEmpty()) {
      throw cause;
    }
    long startNs = System.nanoTime();
    group.goOn(options.isReplacing());
    reports.accept(wentOn(group.communicator(), startNs, false, cause.getMessage()));
  }

  private RankReport wentOn(Communicator communicator, long startNs, boolean isNew, String cause) {
    int rank = communicator.rank();
    return new RankReport.WentOn(
        environment.rank(),
        rank,
        communicator.size(),
        communicator.clustering().site(rank).vendor(),
        communicator.clustering().clusterOf(rank).index(),
        training.steps(),
        System.nanoTime() - startNs,
        isNew,
        cause);
  }

  private void reportProgress(Communicator communicator) {
    if (communicator.rank() == 0) {
      reports.accept(
          new RankReport.Progress(
              environment.rank(), training.steps(), loss, training.accuracy(digits.test())));
    }
  }

  private static RankReport joined(Communicator communicator) {
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
}
