// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A fully connected classifier: layers with ReLU between them, softmax and cross-entropy at the
 * end. With no hidden layer it is softmax regression.
 *
 * <p>Weights are one vector: layer by layer its matrix {@code [output × inputs + input]}, then its
 * biases. Arithmetic is {@code float} with {@link StrictMath}, so equal inputs give equal bits on
 * every JVM. Not thread-safe: it keeps the activations of one image.
 */
public final class Network {
  private final int[] widths;
  private final float[][] activations;
  private final float[][] errors;

  /** A network of the given widths, from the input's to the number of classes. */
  public Network(int... widths) {
    checkArgument(widths.length >= 2, "a network has an input and an output");
    this.widths = widths.clone();
    this.activations = Arrays.stream(widths).mapToObj(float[]::new).toArray(float[][]::new);
    this.errors = Arrays.stream(widths).mapToObj(float[]::new).toArray(float[][]::new);
  }

  /** Length of the weight vector. */
  public int weightCount() {
    int count = 0;
    for (int layer = 0; layer < layers(); layer++) {
      count += (widths[layer] + 1) * widths[layer + 1];
    }
    return count;
  }

  /** The weights to start from: normal with variance 2 / inputs (He et al. 2015), biases zero. */
  public float[] initialWeights(long seed) {
    Random random = new Random(seed);
    float[] weights = new float[weightCount()];
    int at = 0;
    for (int layer = 0; layer < layers(); layer++) {
      double deviation = StrictMath.sqrt(2.0 / widths[layer]);
      int matrix = widths[layer] * widths[layer + 1];
      for (int i = 0; i < matrix; i++) {
        weights[at + i] = (float) (random.nextGaussian() * deviation);
      }
      at += matrix + widths[layer + 1];
    }
    return weights;
  }

  /**
   * Adds the loss's gradient at image {@code image} to {@code gradient}; returns the loss there.
   */
  public float addGradient(float[] weights, Images images, int image, float[] gradient) {
    forward(weights, images, image);
    float loss = outputError(images.label(image));
    int at = weightCount();
    for (int layer = layers() - 1; layer >= 0; layer--) {
      at -= (widths[layer] + 1) * widths[layer + 1];
      addLayerGradient(layer, at, gradient);
      if (layer > 0) {
        errorBefore(layer, at, weights);
      }
    }
    return loss;
  }

  /** The class the network takes image {@code image} for. */
  public int classify(float[] weights, Images images, int image) {
    forward(weights, images, image);
    float[] output = activations[layers()];
    int best = 0;
    for (int i = 1; i < output.length; i++) {
      best = output[i] > output[best] ? i : best;
    }
    return best;
  }

  /** The share of {@code images} that is classified right, 0 … 1. */
  public double accuracy(float[] weights, Images images) {
    int right = 0;
    for (int image = 0; image < images.size(); image++) {
      right += classify(weights, images, image) == images.label(image) ? 1 : 0;
    }
    return (double) right / images.size();
  }

  /** The widths: {@code 64-32-10}. */
  @Override
  public String toString() {
    return Arrays.stream(widths).mapToObj(Integer::toString).collect(Collectors.joining("-"));
  }

  private int layers() {
    return widths.length - 1;
  }

  private void forward(float[] weights, Images images, int image) {
    images.copyPixels(image, activations[0]);
    int at = 0;
    for (int layer = 0; layer < layers(); layer++) {
      float[] in = activations[layer];
      float[] out = activations[layer + 1];
      int biases = at + in.length * out.length;
      for (int o = 0; o < out.length; o++) {
        float sum = weights[biases + o];
        for (int i = 0; i < in.length; i++) {
          sum += weights[at + o * in.length + i] * in[i];
        }
        out[o] = layer < layers() - 1 ? Math.max(0f, sum) : sum;
      }
      at = biases + out.length;
    }
  }

  /** Softmax minus the one-hot label, and the cross-entropy. */
  private float outputError(int label) {
    float[] output = activations[layers()];
    float[] error = errors[layers()];
    float max = output[0];
    for (float value : output) {
      max = Math.max(max, value);
    }
    double sum = 0;
    for (int i = 0; i < output.length; i++) {
      double e = StrictMath.exp(output[i] - max);
      error[i] = (float) e;
      sum += e;
    }
    for (int i = 0; i < output.length; i++) {
      error[i] = (float) (error[i] / sum) - (i == label ? 1f : 0f);
    }
    return (float) (StrictMath.log(sum) - (output[label] - max));
  }

  private void addLayerGradient(int layer, int at, float[] gradient) {
    float[] in = activations[layer];
    float[] error = errors[layer + 1];
    int biases = at + in.length * error.length;
    for (int o = 0; o < error.length; o++) {
      for (int i = 0; i < in.length; i++) {
        gradient[at + o * in.length + i] += error[o] * in[i];
      }
      gradient[biases + o] += error[o];
    }
  }

  private void errorBefore(int layer, int at, float[] weights) {
    float[] in = activations[layer];
    float[] after = errors[layer + 1];
    for (int i = 0; i < in.length; i++) {
      float sum = 0;
      for (int o = 0; o < after.length; o++) {
        sum += weights[at + o * in.length + i] * after[o];
      }
      errors[layer][i] = in[i] > 0 ? sum : 0f;
    }
  }
}
