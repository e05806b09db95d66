// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.Arrays;
import java.util.Random;

/**
 * Which images each batch takes: every pass in a new seeded order, the same on all ranks. Not
 * thread-safe.
 */
final class BatchOrder {
  private final int batchSize;
  private final int stepsPerEpoch;
  private final Random random;
  private final int[] order;
  private int passes;

  BatchOrder(Images images, Schedule schedule) {
    this.batchSize = Math.min(schedule.batchSize(), images.size());
    this.stepsPerEpoch = Schedule.stepsPerEpoch(images, schedule.batchSize());
    this.random = new Random(schedule.seed());
    this.order = new int[images.size()];
    Arrays.setAll(order, i -> i);
  }

  int batchSize() {
    return batchSize;
  }

  /** The images of batch {@code step}, from 0; of a pass that is over there are none any more. */
  int[] of(int step) {
    int pass = step / stepsPerEpoch;
    checkArgument(pass >= passes - 1, "step %s is of a pass before the present one", step);
    while (passes <= pass) {
      shuffle();
      passes++;
    }
    int from = step % stepsPerEpoch * batchSize;
    return Arrays.copyOfRange(order, from, from + batchSize);
  }

  private void shuffle() {
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int image = order[i];
      order[i] = order[other];
      order[other] = image;
    }
  }
}
