// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import static java.util.stream.Collectors.toSet;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.cli.train.Digits;
import io.tombolo.cli.train.Schedule;
import io.tombolo.runtime.launch.RankEvents;
import io.tombolo.runtime.launch.RankLog;
import java.util.Map;
import java.util.TreeMap;

/**
 * Listens to the ranks of a demo, shows it, and keeps what they reported. Called by one thread at a
 * time.
 */
final class DemoEvents implements RankEvents {
  private final View view;
  private final Model model;
  private final Digits digits;
  private final Schedule schedule;
  private final int size;
  private final RankLog log = new RankLog();
  private final Map<Integer, RankReport.Joined> joined = new TreeMap<>();
  private final Map<Integer, RankReport.WentOn> survivors = new TreeMap<>();
  private final Map<Integer, RankReport.Finished> finished = new TreeMap<>();

  DemoEvents(View view, Model model, Digits digits, Schedule schedule, int size) {
    this.view = view;
    this.model = model;
    this.digits = digits;
    this.schedule = schedule;
    this.size = size;
  }

  @Override
  public void onEvent(int rank, String json) {
    RankReport report = RankReport.fromJson(json);
    if (report instanceof RankReport.Joined join) {
      joined.put(rank, join);
      if (joined.size() == size) {
        view.joined(joined.values());
        view.training(model, digits, schedule);
      }
    } else if (report instanceof RankReport.Progress progress) {
      view.progress(progress);
    } else if (report instanceof RankReport.WentOn next) {
      goOn(next);
    } else if (report instanceof RankReport.Finished finish) {
      finished.put(rank, finish);
    }
  }

  /** Shows them once all have said so; more may die meanwhile. */
  private void goOn(RankReport.WentOn next) {
    survivors
        .values()
        .removeIf(other -> other.size() != next.size() || other.step() != next.step());
    survivors.put(next.newRank(), next);
    if (survivors.size() == next.size()) {
      view.wentOn(survivors.values());
    }
  }

  @Override
  public void onOutput(int rank, String line) {
    log.add(rank, line);
  }

  @Override
  public void onWaiting(String text) {
    view.waiting(text);
  }

  /** What ranks wrote besides their reports. */
  RankLog log() {
    return log;
  }

  /** Who joined, by rank. */
  ImmutableList<RankReport.Joined> joined() {
    return ImmutableList.copyOf(joined.values());
  }

  /** Those that went on without the others, by their new ranks; none, if none had to. */
  ImmutableList<RankReport.WentOn> survivors() {
    return ImmutableList.copyOf(survivors.values());
  }

  /** Whether all that went on without the others have trained to the end. */
  boolean haveSurvivorsFinished() {
    return !survivors.isEmpty()
        && finished
            .keySet()
            .equals(survivors.values().stream().map(RankReport.WentOn::rank).collect(toSet()));
  }

  /** The last report of every rank that was to finish, by rank. */
  ImmutableList<RankReport.Finished> finished() {
    if (finished.size() != size && !haveSurvivorsFinished()) {
      throw new CorruptException(
          "only the ranks " + finished.keySet() + " of " + size + " reported how they finished");
    }
    return ImmutableList.copyOf(finished.values());
  }
}
