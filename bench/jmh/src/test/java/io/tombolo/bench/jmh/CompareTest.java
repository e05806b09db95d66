// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.testng.SkipException;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** {@code bench/jmh/compare} tells slower code from a slower machine. */
@Test(timeOut = 60_000)
public class CompareTest {
  private static final List<Integer> STEADY = List.of(100, 102, 104);

  private Path folder;

  private record Ended(int code, String output) {}

  @BeforeClass
  public void prepare() throws IOException {
    if (!Files.isExecutable(Path.of("/usr/bin/python3"))) {
      throw new SkipException("no python3 here");
    }
    folder = Files.createTempDirectory("compare");
  }

  public void shouldFindNothingInEqualResults() throws Exception {
    Ended ended = compare(result(STEADY, STEADY), result(STEADY, STEADY));
    assertEquals(ended.code(), 0, ended.output());
    assertTrue(ended.output().contains("1.00"), ended.output());
  }

  public void shouldFailWhereCodeHasBecomeSlower() throws Exception {
    Ended ended = compare(result(STEADY, STEADY), result(STEADY, List.of(160, 165, 170)));
    assertEquals(ended.code(), 1, ended.output());
    assertTrue(ended.output().matches("(?s).*1\\.62 +SLOWER +A\\.b\n"), ended.output());
  }

  public void shouldNotBlameTheCodeForASlowerMachine() throws Exception {
    List<Integer> half = List.of(200, 204, 208);
    assertEquals(compare(result(STEADY, STEADY), result(half, half)).code(), 0);
  }

  public void shouldNotTakeOneBadRoundForSlowerCode() throws Exception {
    Ended ended = compare(result(STEADY, STEADY), result(STEADY, List.of(100, 170, 180)));
    assertEquals(ended.code(), 0, ended.output());
  }

  public void shouldRefuseAResultThatIsNotThere() throws Exception {
    Ended ended = compare(result(STEADY, STEADY), folder.resolve("none.json"));
    assertEquals(ended.code(), 2, ended.output());
    assertTrue(ended.output().contains("bench/jmh/run writes it"), ended.output());
  }

  private Path result(List<Integer> calibration, List<Integer> rounds) throws IOException {
    return Files.writeString(
        Files.createTempFile(folder, "result", ".json"),
        """
        {"machine": {}, "calibration": {"rounds": %s}, "benchmarks": {"A.b": {"rounds": %s}}}
        """
            .formatted(calibration, rounds));
  }

  private static Ended compare(Path baseline, Path result) throws Exception {
    Process python =
        new ProcessBuilder("./compare", baseline.toString(), result.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(python.getInputStream().readAllBytes(), UTF_8);
    return new Ended(python.waitFor(), output);
  }
}
