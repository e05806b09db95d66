// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import com.google.common.primitives.Floats;
import java.util.Arrays;

/**
 * Data-parallel training by stochastic gradient descent with momentum: each rank adds up the
 * gradients of its share of the batch, {@link GradientSum} adds them up over the ranks, and every
 * rank takes the same step.
 *
 * <p>Not thread-safe. The loss travels as one more element of the gradient, so all ranks know the
 * loss of the batch.
 */
public final class Training {
  private final Network network;
  private final Images images;
  private final Schedule schedule;
  private final BatchOrder order;
  private final float[] weights;
  private final float[] velocity;
  private final float[] gradientAndLoss;
  private int steps;

  /** A training that has not begun. */
  public Training(Network network, Images images, Schedule schedule) {
    this.network = network;
    this.images = images;
    this.schedule = schedule;
    this.order = new BatchOrder(images, schedule);
    this.weights = network.initialWeights(schedule.seed());
    this.velocity = new float[weights.length];
    this.gradientAndLoss = new float[vectorLength(network)];
  }

  /** Elements of the vector that {@link GradientSum} gets each step. */
  public static int vectorLength(Network network) {
    return network.weightCount() + 1;
  }

  /**
   * Learns from one batch; {@code gradientSum} joins {@code share} of it with the others. If that
   * throws, nothing has been learnt, and the step can be made again, with other shares too.
   *
   * @return its mean loss over all ranks' images, before the step
   */
  public float step(Share share, GradientSum gradientSum) {
    int[] batch = order.of(steps);
    Arrays.fill(gradientAndLoss, 0f);
    for (int i = share.from(batch.length); i < share.to(batch.length); i++) {
      gradientAndLoss[weights.length] +=
          network.addGradient(weights, images, batch[i], gradientAndLoss);
    }
    gradientSum.sum(gradientAndLoss);
    for (int i = 0; i < weights.length; i++) {
      velocity[i] = schedule.momentum() * velocity[i] + gradientAndLoss[i] / batch.length;
      weights[i] -= schedule.learningRate() * velocity[i];
    }
    steps++;
    return gradientAndLoss[weights.length] / batch.length;
  }

  /** How many batches have been learnt from. */
  public int steps() {
    return steps;
  }

  /** All that has been learnt: the weights, and then the velocity of each. */
  public float[] state() {
    return Floats.concat(weights, velocity);
  }

  /**
   * Replaces what has been learnt by what another of the ranks has.
   *
   * @param newSteps its {@link #steps}; no fewer than here
   * @param state its {@link #state}
   */
  public void restore(int newSteps, float[] state) {
    checkArgument(newSteps >= steps, "%s steps are fewer than %s", newSteps, steps);
    System.arraycopy(state, 0, weights, 0, weights.length);
    System.arraycopy(state, weights.length, velocity, 0, velocity.length);
    steps = newSteps;
  }

  /** The share of {@code test} that the present weights classify right, 0 … 1. */
  public double accuracy(Images test) {
    return network.accuracy(weights, test);
  }

  /** SHA-256 of the present weights' bits, little-endian, as 64 hexadecimal digits. */
  public String weightHash() {
    Hasher hasher = Hashing.sha256().newHasher();
    for (float weight : weights) {
      hasher.putInt(Float.floatToRawIntBits(weight));
    }
    return hasher.hash().toString();
  }
}
