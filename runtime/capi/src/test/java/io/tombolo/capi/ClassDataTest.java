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
  private Path archive;
  private Path making;

  @BeforeMethod
  public void inAFolderOfItsOwn() throws IOException {
    Path folder = Files.createTempDirectory("class-data");
    archive = folder.resolve("0123.jsa");
    making = folder.resolve("0123.jsa.making");
  }

  @Test
  public void shouldLeaveItToWhoIsAtItAlready() throws IOException {
    Files.writeString(making, "half of it");
    new ClassData(archive.toString()).makeForOthers();
    assertEquals(Files.readString(making), "half of it");
  }

  @Test
  public void shouldClearAwayForTheNextWhatNobodyHasEnded() throws IOException {
    Files.createFile(making);
    Instant longAgo = Instant.now().minus(Duration.ofHours(2));
    Files.setLastModifiedTime(making, FileTime.from(longAgo));
    new ClassData(archive.toString()).makeForOthers();
    assertFalse(Files.exists(making));
  }

  /** The classes of this build are in no jar, so nothing can come of it. */
  @Test
  public void shouldTryOnceInAProcess() throws IOException {
    ClassData wanted = new ClassData(archive.toString());
    wanted.makeForOthers();
    assertTrue(Files.deleteIfExists(making));
    wanted.makeForOthers();
    assertFalse(Files.exists(making));
  }

  @Test
  public void shouldDoNothingWhereNothingIsWantedOrPossible() throws IOException {
    new ClassData("").makeForOthers();
    Path file = Files.createFile(archive);
    new ClassData(file.resolve("below/a.jsa").toString()).makeForOthers();
    assertEquals(Files.size(file), 0);
  }
}
