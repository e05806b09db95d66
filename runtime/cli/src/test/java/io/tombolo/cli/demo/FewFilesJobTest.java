// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.cli.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Jobs whose launcher, or whose ranks, may have few files open. */
public final class FewFilesJobTest {
  /** With fewer, the JVM cannot read its own classes. */
  private static final ImmutableList<Integer> TOO_FEW = ImmutableList.of(24, 30, 36);

  @DataProvider
  public static Object[][] limits() {
    return TOO_FEW.stream().map(limit -> new Object[] {limit}).toArray(Object[][]::new);
  }

  @Test(timeOut = 300_000, dataProvider = "limits")
  public void shouldSayInOneLineThatTheLauncherMayHaveTooFew(int limit) throws Exception {
    String said = fails(limit, ImmutableList.of("demo", "--steps=1"));
    assertTrue(said.contains("may have " + limit + " files and sockets open"), said);
  }

  /** The launcher has enough here, the ranks have not. */
  @Test(timeOut = 300_000, dataProvider = "limits")
  public void shouldSayInOneLineThatARankMayHaveTooFew(int limit) throws Exception {
    String said =
        fails(
            1024,
            ImmutableList.of(
                "demo",
                "--steps=1",
                "--timeout=20",
                "--clusters=emu-nvidia:1,emu-amd:1",
                "--hosts=here:2",
                "--store-address=127.0.0.1",
                "--launch-by=env WHERE={host} bash -c 'ulimit -n " + limit + " && exec \"$@\"' x"));
    assertTrue(said.contains("may have " + limit + " files and sockets open"), said);
    assertTrue(said.matches("(?s).*rank [01].*"), said);
  }

  private static String fails(int limit, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command =
        ImmutableList.<String>builder()
            .add("bash", "-c", "ulimit -n " + limit + " && exec \"$@\"", "few-files")
            .add(Path.of(System.getProperty("java.home"), "bin", "java").toString())
            .add("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp")
            .add(System.getProperty("java.class.path"))
            .add(Main.class.getName())
            .addAll(arguments)
            .build();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(process.waitFor(), 1, said);
    assertFalse(said.contains("\tat "), said);
    assertFalse(said.contains("defect"), said);
    List<String> told = said.lines().filter(line -> line.contains("ulimit -n")).toList();
    assertEquals(told.size(), 1, said);
    return told.get(0);
  }
}
