// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.ProcessStat;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public final class MeetingFileTest {
  private static final JobToken TOKEN = JobToken.random();

  private Path folder;

  @BeforeMethod
  public void makeFolder() throws IOException {
    folder = Files.createTempDirectory("meeting");
  }

  @Test(timeOut = 300_000)
  public void shouldTellTheOthersPortAndTokenAndNobodyElse() throws IOException {
    MeetingFile.in(folder, "job").publish(4242, TOKEN);
    MeetingFile.Content content = MeetingFile.in(folder, "job").await(1, soon());
    assertEquals(content.port(), 4242);
    assertEquals(content.token().hex(), TOKEN.hex());
    Path file = onlyFile();
    assertEquals(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)), "rw-------");
    MeetingFile.in(folder, "job").remove();
    assertEquals(files(), List.of());
  }

  @Test(timeOut = 300_000)
  public void shouldNotBelieveWhatADeadProcessHasLeft() throws Exception {
    Process dead = new ProcessBuilder("true").start();
    long start = ProcessStat.of(ProcessHandle.current().pid()).orElseThrow().startTicks();
    dead.waitFor();
    MeetingFile.in(folder, "job").publish(1, TOKEN);
    String left = new MeetingFile.Content(1, TOKEN, dead.pid(), start).line();
    Files.writeString(onlyFile(), left);
    DeadlineExceededException error =
        expectThrows(
            DeadlineExceededException.class, () -> MeetingFile.in(folder, "job").await(3, soon()));
    assertTrue(error.getMessage().startsWith("rank 3: after 50 ms"), error.getMessage());
    MeetingFile.in(folder, "job").publish(2, TOKEN);
    assertEquals(MeetingFile.in(folder, "job").await(1, soon()).port(), 2);
  }

  @Test(timeOut = 300_000)
  public void shouldRefuseASecondJobOfTheSameName() {
    MeetingFile.in(folder, "job").publish(1, TOKEN);
    MeetingFile.in(folder, "another").publish(2, TOKEN);
    UsageException error =
        expectThrows(UsageException.class, () -> MeetingFile.in(folder, "job").publish(3, TOKEN));
    assertTrue(error.getMessage().contains("rank 0 of another job called job"), error.getMessage());
  }

  @Test(timeOut = 300_000)
  public void shouldRefuseAFileThatOthersCouldHaveWritten() throws IOException {
    MeetingFile.in(folder, "job").publish(1, TOKEN);
    Files.setPosixFilePermissions(onlyFile(), PosixFilePermissions.fromString("rw-rw-rw-"));
    expectThrows(UsageException.class, () -> MeetingFile.in(folder, "job").await(1, soon()));
    Path file = onlyFile();
    Files.delete(file);
    Files.createSymbolicLink(file, Files.createFile(folder.resolve("elsewhere")));
    expectThrows(UsageException.class, () -> MeetingFile.in(folder, "job").await(1, soon()));
  }

  @Test(timeOut = 300_000)
  public void shouldSayThatADamagedFileIsDamaged() throws IOException {
    MeetingFile.in(folder, "job").publish(1, TOKEN);
    Files.writeString(onlyFile(), "1 2 3");
    expectThrows(CorruptException.class, () -> MeetingFile.in(folder, "job").await(1, soon()));
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofMillis(50));
  }

  private Path onlyFile() throws IOException {
    assertEquals(files().size(), 1);
    return files().get(0);
  }

  private List<Path> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }
}
