// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.testng.annotations.Test;

public class ProcessStatTest {

  @Test
  public void shouldReadBehindANameThatHoldsAnything() {
    String line =
        "42 (a) b (c) T 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 2703360 225 0\n";
    assertEquals(ProcessStat.parse(line), new ProcessStat('T', 1, 987_654));
    assertTrue(ProcessStat.parse(line).isStopped());
  }

  @Test
  public void shouldTellADeadProcessFromOneWhoseFirstThreadHasEnded() {
    assertTrue(new ProcessStat('Z', 0, 1).isDead() && new ProcessStat('Z', 1, 1).isDead());
    assertFalse(new ProcessStat('Z', 2, 1).isDead() || new ProcessStat('S', 1, 1).isDead());
  }

  @Test
  public void shouldKnowThisProcessAndNoOther() {
    ProcessStat mine = ProcessStat.of(ProcessHandle.current().pid()).orElseThrow();
    assertFalse(mine.isStopped() || mine.isDead());
    assertTrue(mine.threads() > 1);
    assertTrue(mine.startTicks() > 0);
    assertEquals(ProcessStat.of(Integer.MAX_VALUE), Optional.empty());
  }

  @Test(timeOut = 60_000)
  public void shouldTellWhetherThisProcessHasEndedAndAnother() throws Exception {
    long pid = ProcessHandle.current().pid();
    long start = ProcessStat.of(pid).orElseThrow().startTicks();
    assertFalse(ProcessStat.hasEnded(pid, start) || ProcessStat.hasEnded(pid, 0));
    assertTrue(ProcessStat.hasEnded(pid, start - 1), "its number was another's");
    Process other = new ProcessBuilder("true").start();
    other.waitFor();
    assertTrue(ProcessStat.hasEnded(other.pid(), 0));
  }

  /** As when no more files may be open: that is the reader's trouble. */
  @Test
  public void shouldTakeNoProcessThatCannotBeReadOfForOneThatHasEnded() throws Exception {
    Path all = Files.createTempDirectory("processes");
    Path unreadable = Files.createDirectories(all.resolve("42").resolve("stat"));
    try {
      assertFalse(ProcessStat.hasEnded(all, 43, 1), "the first process is hidden, too");
      Files.createDirectory(all.resolve("1"));
      assertFalse(ProcessStat.hasEnded(all, 42, 1));
      assertTrue(ProcessStat.hasEnded(all, 43, 1));
    } finally {
      Files.delete(unreadable);
      Files.delete(all.resolve("42"));
      Files.deleteIfExists(all.resolve("1"));
      Files.delete(all);
    }
  }
}
