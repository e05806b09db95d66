// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Who makes class data, and when; torch's tests see it made and shared. */
public class ClassDataTest {
  private static final String HOME = System.getProperty("java.home");

  private Path archive;
  private Path making;

  @BeforeMethod
  public void inAFolderOfItsOwn() throws IOException {
    Path folder = Files.createTempDirectory("class-data");
    archive = folder.resolve("0123.jsa");
    making = folder.resolve("0123.jsa.making");
  }

  private static ClassData wanted(Path archive) {
    return new ClassData(archive.toString(), HOME);
  }

  @Test
  public void shouldLeaveItToWhoIsAtItAlready() throws IOException {
    Files.writeString(making, "half of it");
    wanted(archive).makeForOthers();
    assertEquals(Files.readString(making), "half of it");
  }

  @Test
  public void shouldClearAwayForTheNextWhatNobodyHasEnded() throws IOException {
    Files.createFile(making);
    Instant longAgo = Instant.now().minus(Duration.ofHours(2));
    Files.setLastModifiedTime(making, FileTime.from(longAgo));
    wanted(archive).makeForOthers();
    assertFalse(Files.exists(making));
  }

  /** The classes of this build are in no jar, so nothing can come of it. */
  @Test
  public void shouldTryOnceInAProcess() throws IOException {
    ClassData wanted = wanted(archive);
    wanted.makeForOthers();
    assertTrue(Files.deleteIfExists(making));
    wanted.makeForOthers();
    assertFalse(Files.exists(making));
  }

  @Test
  public void shouldDoNothingWhereNothingIsWantedOrPossible() throws IOException {
    new ClassData("", HOME).makeForOthers();
    Path file = Files.createFile(archive);
    wanted(file.resolve("below/a.jsa")).makeForOthers();
    assertEquals(Files.size(file), 0);
  }

  /** As a JVM does that lacks the JDK's own archive. */
  @Test(timeOut = 60_000)
  public void shouldNotKeepAnEmptyOne() throws IOException, InterruptedException {
    assertFalse(isKept(""));
    assertTrue(isKept("classes"));
  }

  /** Whether an archive is kept as which a JVM has written {@code written}. */
  private boolean isKept(String written) throws IOException, InterruptedException {
    Path bin = Files.createDirectories(archive.resolveSibling("jdk/bin"));
    Path java = bin.resolve("java");
    Files.writeString(java, "#!/bin/sh\nprintf '%s' '" + written + "' > '" + making + "'\n");
    assertTrue(java.toFile().setExecutable(true));
    new ClassData(archive.toString(), bin.getParent().toString()).start(making).waitFor();
    return Files.exists(archive);
  }
}
