// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.jmh;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.testng.annotations.Test;

/** Every benchmark runs, and the baseline knows it. */
public class BenchmarksTest {
  @Test(timeOut = 120_000)
  public void shouldRunEachBenchmarkOfTheBaseline() throws RunnerException, IOException {
    Options one =
        new OptionsBuilder()
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(1))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    Collection<RunResult> results = new Runner(one).run();
    Set<String> names = new TreeSet<>();
    for (RunResult result : results) {
      assertTrue(result.getPrimaryResult().getScore() > 0, result.getParams().getBenchmark());
      names.add(name(result));
    }
    JsonObject baseline =
        JsonParser.parseString(Files.readString(Path.of("baseline.json"))).getAsJsonObject();
    Set<String> known = new TreeSet<>(baseline.getAsJsonObject("benchmarks").keySet());
    known.add(baseline.getAsJsonObject("calibration").get("benchmark").getAsString());
    assertEquals(names, known, "bench/jmh/run --baseline writes a new baseline");
  }

  /** As bench/jmh/run writes it: Class.method, and parameters where there are any. */
  private static String name(RunResult result) {
    String[] words = result.getParams().getBenchmark().split("\\.", -1);
    StringBuilder name = new StringBuilder(words[words.length - 2] + "." + words[words.length - 1]);
    for (String key : result.getParams().getParamsKeys()) {
      name.append(' ').append(key).append('=').append(result.getParams().getParam(key));
    }
    return name.toString();
  }
}
