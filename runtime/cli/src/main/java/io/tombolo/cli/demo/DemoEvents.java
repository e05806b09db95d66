// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

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
    } else if (report instanceof RankReport.Finished finish) {
      finished.put(rank, finish);
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

  /** Every rank's last report, by rank. */
  ImmutableList<RankReport.Finished> finished() {
    if (finished.size() != size) {
      throw new CorruptException(
          "only the ranks " + finished.keySet() + " of " + size + " reported how they finished");
    }
    return ImmutableList.copyOf(finished.values());
  }
}
