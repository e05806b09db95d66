// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import static com.google.common.base.Preconditions.checkArgument;

/** Labelled images. Immutable. */
public final class Images {
  /** Pixels of one image (8 × 8). */
  public static final int WIDTH = 64;

  /** Number of classes. */
  public static final int CLASSES = 10;

  private final float[] pixels;
  private final int[] labels;

  /**
   * Images from one matrix.
   *
   * @param pixels {@code [image × WIDTH + pixel]}, each 0 … 1
   * @param labels the class of each image, 0 … 9
   */
  Images(float[] pixels, int[] labels) {
    checkArgument(pixels.length == labels.length * WIDTH, "%s labels", labels.length);
    this.pixels = pixels.clone();
    this.labels = labels.clone();
  }

  /** How many images there are. */
  public int size() {
    return labels.length;
  }

  /** The class of image {@code image}, 0 … 9. */
  int label(int image) {
    return labels[image];
  }

  /** Copies the {@link #WIDTH} pixels of image {@code image} into {@code target}. */
  void copyPixels(int image, float[] target) {
    System.arraycopy(pixels, image * WIDTH, target, 0, WIDTH);
  }
}
