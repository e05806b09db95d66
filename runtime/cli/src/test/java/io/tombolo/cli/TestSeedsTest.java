// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.testng.annotations.Test;

/** A random test that failed can be repeated: its seed is fixed, or printed and given back. */
public class TestSeedsTest {
  private static final Path ROOT = Path.of("..", "..");

  /** A generator without a seed, or a seed that no property can give back. */
  private static final Pattern LOST =
      Pattern.compile(
          "new (Splittable|Secure)?Random\\(\\)"
              + "|ThreadLocalRandom|Math\\.random\\("
              + "|(?i:seed)\\w* = System\\.|Random\\(System\\.");

  @Test
  public void shouldLoseNoSeed() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      List<Path> tests =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> file.toString().contains("/src/test/java/"))
              .filter(file -> !file.endsWith("TestSeedsTest.java"))
              .toList();
      assertFalse(tests.isEmpty());
      assertEquals(tests.stream().flatMap(TestSeedsTest::lost).toList(), List.of());
    }
  }

  @Test
  public void shouldNoticeASeedThatIsLost() {
    assertTrue(LOST.matcher("long seed = System.nanoTime();").find());
    assertTrue(LOST.matcher("Random random = new Random();").find());
    assertFalse(LOST.matcher("long seed = TestSeed.drawn();").find());
    assertFalse(LOST.matcher("new Random(seed)").find());
  }

  private static Stream<String> lost(Path file) {
    try {
      return Files.readAllLines(file).stream()
          .filter(line -> LOST.matcher(line).find())
          .map(line -> file.getFileName() + ": " + line.strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
