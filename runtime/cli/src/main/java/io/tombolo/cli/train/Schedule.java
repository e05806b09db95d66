// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

/**
 * How to train.
 *
 * @param steps batches to learn from
 * @param batchSize images in one batch, over all ranks
 * @param learningRate step of the descent along the batch's mean gradient
 * @param momentum share of the last step that the next one keeps (Polyak 1964)
 * @param seed of the first weights and of the order of the images
 */
public record Schedule(int steps, int batchSize, float learningRate, float momentum, long seed) {

  /**
   * Batches in one pass over {@code images}; what does not fill a batch waits for the next pass.
   */
  public static int stepsPerEpoch(Images images, int batchSize) {
    return Math.max(1, images.size() / batchSize);
  }
}
