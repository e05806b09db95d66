// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;

import java.time.Duration;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

public class JobArgumentsTest {

  @Command
  static final class Starter {
    @Mixin private JobArguments arguments;
  }

  @DataProvider
  Object[][] timeouts() {
    return new Object[][] {
      {new String[] {}, Map.of(), 300_000L},
      {new String[] {}, Map.of("TOMBOLO_TIMEOUT_MS", "90000"), 90_000L},
      {new String[] {"--timeout", "3.5"}, Map.of("TOMBOLO_TIMEOUT_MS", "90000"), 3_500L},
    };
  }

  @Test(dataProvider = "timeouts")
  public void shouldTakeTheTimeoutOfTheEnvironmentUnlessAnOptionSaysAnother(
      String[] line, Map<String, String> environment, long millis) {
    Starter starter = new Starter();
    new CommandLine(starter).parseArgs(line);
    assertEquals(starter.arguments.options(environment).timeout(), Duration.ofMillis(millis));
  }
}
