// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import com.google.common.base.Splitter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * The handwritten digits that travel with the program, split the same way everywhere: every fifth
 * image is for the test, the others are for the training.
 *
 * <p>Source: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits (1998), UCI
 * Machine Learning Repository, CC BY 4.0.
 *
 * @param train the images to learn from
 * @param test the images to be judged by
 */
public record Digits(Images train, Images test) {
  /** Who made the data, for outputs that use it. */
  public static final String ATTRIBUTION =
      "Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak (1998), UCI, CC BY 4.0";

  private static final String RESOURCE = "digits.csv.gz";
  private static final int TEST_EVERY = 5;
  private static final float DARKEST = 16f;

  /** Reads the data from the program's own archive. */
  public static Digits load() {
    List<int[]> train = new ArrayList<>();
    List<int[]> test = new ArrayList<>();
    List<int[]> rows = rows();
    for (int i = 0; i < rows.size(); i++) {
      (i % TEST_EVERY == TEST_EVERY - 1 ? test : train).add(rows.get(i));
    }
    return new Digits(images(train), images(test));
  }

  private static List<int[]> rows() {
    try (InputStream in = Digits.class.getResourceAsStream(RESOURCE);
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(new GZIPInputStream(in), StandardCharsets.US_ASCII))) {
      return reader.lines().map(Digits::row).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + RESOURCE + " from the program's archive", e);
    }
  }

  private static int[] row(String line) {
    return Splitter.on(',').splitToStream(line).mapToInt(Integer::parseInt).toArray();
  }

  private static Images images(List<int[]> rows) {
    float[] pixels = new float[rows.size() * Images.WIDTH];
    int[] labels = new int[rows.size()];
    for (int image = 0; image < rows.size(); image++) {
      for (int pixel = 0; pixel < Images.WIDTH; pixel++) {
        pixels[image * Images.WIDTH + pixel] = rows.get(image)[pixel] / DARKEST;
      }
      labels[image] = rows.get(image)[Images.WIDTH];
    }
    return new Images(pixels, labels);
  }
}
