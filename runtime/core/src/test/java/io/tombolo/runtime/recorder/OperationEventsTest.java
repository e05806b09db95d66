// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.testng.annotations.Test;

/** A process that nobody records is not to pay for it. */
public class OperationEventsTest {

  /** What is asked in a process of its own. */
  static final class Asking {
    private Asking() {}

    public static void main(String[] arguments) {
      System.out.println("recorded: " + OperationEvents.areRecorded());
    }
  }

  @Test(timeOut = 60_000)
  public void shouldNotLoadEventsThatNobodyRecords() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:stdout",
                "-cp",
                System.getProperty("java.class.path"),
                Asking.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(process.waitFor(), 0, output);
    assertTrue(output.contains("recorded: false"), output);
    assertTrue(output.contains(OperationEvents.class.getName() + " "), output);
    assertFalse(output.contains(OperationEvent.class.getName() + " "), "events were loaded");
  }
}
