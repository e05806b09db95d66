// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.cli.train.Images;
import io.tombolo.cli.train.Network;
import java.util.Locale;

/** What can be trained. */
public enum Model {
  /** Softmax regression: no hidden layer. */
  SOFTMAX(Images.WIDTH, Images.CLASSES),
  /** One hidden layer of 32. */
  MLP(Images.WIDTH, 32, Images.CLASSES);

  private final ImmutableIntArray widths;

  Model(int... widths) {
    this.widths = ImmutableIntArray.copyOf(widths);
  }

  /** A new network of this shape. */
  Network network() {
    return new Network(widths.toArray());
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
