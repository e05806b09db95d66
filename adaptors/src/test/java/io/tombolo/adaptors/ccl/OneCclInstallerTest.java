// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** The installer without the network: what is there already, and what each failure says. */
public final class OneCclInstallerTest {
  private Path folder;

  @BeforeMethod
  public void makeFolder() throws IOException {
    folder = Files.createTempDirectory("installer");
  }

  @AfterMethod
  public void removeFolder() throws IOException {
    MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
  }

  @Test
  public void shouldLookWhereTheUserSaysBeforeTheCache() {
    assertEquals(OneCclFolder.of(Map.of("TOMBOLO_ONECCL_DIR", "/opt/ccl")), Path.of("/opt/ccl"));
    assertEquals(
        OneCclFolder.of(Map.of("XDG_CACHE_HOME", "/cache")),
        Path.of("/cache/tombolo/oneccl/2022.1.2/lib"));
  }

  @Test
  public void shouldLeaveACompleteInstallationAlone() throws IOException {
    Path lib = Files.createDirectories(OneCclInstaller.folderIn(folder));
    for (OneCclWheel wheel : OneCclWheel.ALL) {
      for (String library : wheel.libraries()) {
        Files.createFile(lib.resolve(library));
      }
    }
    List<String> progress = new ArrayList<>();
    assertEquals(OneCclInstaller.install(folder, progress::add), lib);
    assertEquals(progress.size(), 1);
    assertTrue(progress.get(0).contains("already"), progress.toString());
  }

  @Test
  public void shouldSayWhereItCannotWrite() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    ResourceException error =
        expectThrows(ResourceException.class, () -> OneCclInstaller.install(file, line -> {}));
    assertTrue(error.getMessage().contains(file.toString()), error.getMessage());
  }

  @Test
  public void shouldRepeatPipsLastWordsAndTheNextStepWhenADownloadFails() throws IOException {
    Pip pip =
        new Pip(
            script(
                "echo first; echo Downloading a.whl \"(1 MB)\"; echo ERROR: no route to host; exit 3"));
    List<String> progress = new ArrayList<>();
    UnavailableException error =
        expectThrows(
            UnavailableException.class,
            () -> pip.download(folder.resolve("requirements.txt"), folder, progress::add));
    assertTrue(error.getMessage().contains("no route to host"), error.getMessage());
    assertTrue(error.getMessage().contains("status 3"), error.getMessage());
    assertTrue(error.getMessage().contains("TOMBOLO_ONECCL_DIR"), error.getMessage());
    assertEquals(progress, List.of("Downloading a.whl (1 MB)"));
  }

  @Test
  public void shouldTakeOnlyTheNeededFilesOutOfAWheel() throws IOException {
    OneCclWheel wheel = OneCclWheel.ALL.get(0);
    Path zip =
        wheel(
            "oneccl-2022.1.2", "libccl.so.1", "libccl.so.2", "libccl_legacy_cpu.so", "libother.so");
    Path out = Files.createDirectory(folder.resolve("out"));
    wheel.unpack(zip, out);
    assertEquals(Files.readString(out.resolve("libccl.so.2")), "libccl.so.2");
    assertTrue(Files.exists(out.resolve("LICENSE.oneccl.txt")));
    assertFalse(Files.exists(out.resolve("libother.so")));
  }

  @Test
  public void shouldRefuseAWheelThatLacksAFile() throws IOException {
    Path zip = wheel("oneccl-2022.1.2", "libccl.so.2");
    Path out = Files.createDirectory(folder.resolve("out"));
    UnavailableException error =
        expectThrows(UnavailableException.class, () -> OneCclWheel.ALL.get(0).unpack(zip, out));
    assertTrue(error.getMessage().contains("libccl.so.1"), error.getMessage());
  }

  private Path wheel(String stem, String... libraries) throws IOException {
    Path file = folder.resolve("wheel.whl");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      for (String library : libraries) {
        add(zip, stem + ".data/data/lib/" + library, library);
      }
      add(zip, stem + ".dist-info/LICENSE.txt", "licence");
    }
    return file;
  }

  private static void add(ZipOutputStream zip, String name, String content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    zip.closeEntry();
  }

  private String script(String body) throws IOException {
    Path script = folder.resolve("python");
    Files.writeString(script, "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script.toString();
  }
}
