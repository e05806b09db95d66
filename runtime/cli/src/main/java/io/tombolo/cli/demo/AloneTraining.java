// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import io.tombolo.cli.train.Digits;
import io.tombolo.cli.train.GradientSum;
import io.tombolo.cli.train.Schedule;
import io.tombolo.cli.train.Share;
import io.tombolo.cli.train.Training;

/** The same training in one process, for comparison. */
final class AloneTraining {
  private AloneTraining() {}

  /**
   * Trains as {@code options} say; the share of the test images that is classified right at the
   * end.
   */
  static double accuracy(TrainingOptions options) {
    Digits digits = Digits.load();
    Schedule schedule = options.schedule(digits.train());
    Training training = new Training(options.model().network(), digits.train(), schedule);
    while (training.steps() < schedule.steps()) {
      training.step(Share.ALL, GradientSum.ALONE);
    }
    return training.accuracy(digits.test());
  }
}
