// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.util.Random;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class NetworkTest {
  private static final long SEED = 11;
  private static final float STEP = 1e-2f;

  @DataProvider
  Object[][] shapes() {
    return new Object[][] {
      {new int[] {64, 10}}, {new int[] {64, 32, 10}}, {new int[] {64, 8, 6, 10}}
    };
  }

  @Test(dataProvider = "shapes")
  public void shouldComputeTheGradientThatDifferencesShow(int[] widths) {
    Network network = new Network(widths);
    Images images = Digits.load().train();
    float[] weights = network.initialWeights(SEED);
    float[] gradient = new float[network.weightCount()];
    network.addGradient(weights, images, 3, gradient);
    Random random = new Random(SEED);
    for (int trial = 0; trial < 100; trial++) {
      int at = random.nextInt(weights.length);
      double slope =
          (loss(network, weights, at, STEP, images) - loss(network, weights, at, -STEP, images))
              / (2 * STEP);
      assertEquals(
          gradient[at], slope, 2e-3 + 0.02 * Math.abs(slope), "weight " + at + ", seed " + SEED);
    }
  }

  @Test
  public void shouldAddToTheGradientThatIsThere() {
    Network network = new Network(64, 10);
    Images images = Digits.load().train();
    float[] weights = network.initialWeights(SEED);
    float[] once = new float[weights.length];
    float[] twice = new float[weights.length];
    network.addGradient(weights, images, 0, once);
    network.addGradient(weights, images, 0, twice);
    network.addGradient(weights, images, 0, twice);
    for (int i = 0; i < once.length; i++) {
      assertEquals(twice[i], 2 * once[i]);
    }
  }

  @Test
  public void shouldKnowHowManyWeightsItHas() {
    assertEquals(new Network(64, 10).weightCount(), 650);
    assertEquals(new Network(64, 32, 10).weightCount(), 64 * 32 + 32 + 32 * 10 + 10);
  }

  @Test
  public void shouldBeginWithEqualWeightsForEqualSeedsOnly() {
    Network network = new Network(64, 32, 10);
    assertEquals(network.initialWeights(1), network.initialWeights(1));
    assertTrue(network.initialWeights(1)[0] != network.initialWeights(2)[0]);
  }

  private static double loss(
      Network network, float[] weights, int at, float change, Images images) {
    float[] changed = weights.clone();
    changed[at] += change;
    return network.addGradient(changed, images, 3, new float[weights.length]);
  }
}
