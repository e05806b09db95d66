// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

/**
 * Some hundred malformed inputs of every kind, in a process with little memory: each is refused in
 * one line.
 */
public class HostileInputsTest {
  private static final int LEAST = 200;
  private static final int DEADLINE_SECONDS = 120;

  @Test(timeOut = 300_000)
  public void shouldRefuseEveryMalformedInputInOneLineAndLittleMemory() throws Exception {
    Path output = Files.createTempFile("hostile", ".txt");
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx384m",
                  "-Xss512k",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  HostileInputsMain.class.getName())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
      process.destroyForcibly();
      List<String> lines = Files.readAllLines(output);
      String last = lines.isEmpty() ? "nothing" : lines.get(lines.size() - 1);
      assertTrue(ended, "hangs at: " + last);
      assertEquals(lines.stream().filter(line -> line.startsWith("NOT")).toList() + "", "[]");
      assertTrue(last.startsWith("DIFFERENT "), "died at: " + last);
      int different = Integer.parseInt(last.replace("DIFFERENT ", ""));
      System.out.println(different + " different malformed inputs, each refused in one line");
      assertTrue(different >= LEAST, last);
    } finally {
      Files.delete(output);
    }
  }
}
