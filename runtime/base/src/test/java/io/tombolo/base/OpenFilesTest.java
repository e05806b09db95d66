// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.testng.annotations.Test;

public final class OpenFilesTest {

  @Test(timeOut = 60_000)
  public void shouldKnowTheLimitOfThisProcess() throws IOException {
    Process shell = new ProcessBuilder("sh", "-c", "ulimit -n").start();
    String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(Long.toString(OpenFiles.limit().orElseThrow()), said.strip());
    assertTrue(OpenFiles.help().contains("may have " + said.strip() + " files"), OpenFiles.help());
  }

  @Test
  public void shouldCountWhatIsOpen() throws IOException {
    long before = OpenFiles.count().orElseThrow();
    FileInputStream[] more = new FileInputStream[50];
    for (int i = 0; i < more.length; i++) {
      more[i] = new FileInputStream("/dev/null");
    }
    long after = OpenFiles.count().orElseThrow();
    for (FileInputStream one : more) {
      one.close();
    }
    assertTrue(after > before + more.length / 2, before + " and " + after);
  }

  @Test
  public void shouldExplainWhatOthersSayOfIt() {
    String said = "joining failed: Too many open files (raw code 2)";
    assertEquals(
        OpenFiles.explained(new IllegalStateException(said)), said + "; " + OpenFiles.help());
    String ours = OpenFiles.noneLeft("cannot listen").getMessage();
    assertEquals(OpenFiles.explained(new IllegalStateException(ours)), ours);
    assertEquals(OpenFiles.explained(new IllegalStateException("closed")), "closed");
  }

  @Test
  public void shouldFindTheReasonBehindOtherErrors() {
    IOException socket = new IOException("Too many open files");
    assertTrue(OpenFiles.ranOut(socket));
    assertTrue(OpenFiles.ranOut(new ExceptionInInitializerError(socket)));
    assertTrue(
        OpenFiles.ranOut(new IOException("Cannot run program \"sh\": error=24, Zu viele Dateien")));
    assertFalse(OpenFiles.ranOut(new IOException("Connection refused")));
    assertFalse(OpenFiles.ranOut(new IllegalStateException("closed")));
  }
}
