// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.tombolo.base.errors.FabricException;
import io.tombolo.emulated.hca.EmulatedHca;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** When a device that answers EIO counts as gone. */
public final class DeviceEventsTest {
  private static final String NAME = EmulatedHca.device(0);
  private static final int EIO = -5;

  @AfterMethod
  public void repair() {
    EmulatedHca.set("EIO_PERCENT", "0");
    EmulatedHca.set("FATAL", "");
  }

  @Test
  public void shouldSayWhatFailedWhenTheDeviceHasNotSaidThatItIsGone() {
    long before = LateEnds.living();
    try (End end = new End(0, PairType.UC, false)) {
      EmulatedHca.set("EIO_PERCENT", "100");
      expectError(end.pair::abort, "abort UC queue pair " + end.pair.number());
      expectError(end.pair::reset, "reset UC queue pair " + end.pair.number());
      expectError(end.pair::close, "close a queue pair");
      assertFalse(end.pair.isClosed());
      EmulatedHca.set("EIO_PERCENT", "0");
    }
    assertEquals(LateEnds.living(), before);
  }

  private static void expectError(Runnable call, String doing) {
    FabricException error = expectThrows(FabricException.class, call::run);
    assertTrue(error.getMessage().contains(doing), error.getMessage());
    assertEquals(error.rawCode(), -EIO);
  }

  @DataProvider
  public Object[][] whetherTheEventWasTaken() {
    return new Object[][] {{true}, {false}};
  }

  @Test(dataProvider = "whetherTheEventWasTaken")
  public void shouldLetGoOfEverythingWhenTheDeviceHasSaidThatItFailed(boolean taken) {
    long before = LateEnds.living();
    try (End end = new End(0, PairType.UC, false)) {
      EmulatedHca.set("FATAL", NAME);
      end.noticeFaults();
      if (taken) {
        assertTrue(end.failure().contains("dmesg"), end.failure());
      }
      end.pair.abort();
      end.pair.reset();
      end.pair.close();
      assertTrue(end.failure().contains("dmesg"), "an event that was only looked at is lost");
    }
    assertEquals(LateEnds.living(), before);
  }

  @Test
  public void shouldBeGoneOnceItHasLeftSysfs() throws IOException {
    Path root = Files.createTempDirectory("infiniband");
    Path listing = Files.createDirectory(root.resolve("listing"));
    Path entry = Files.createDirectory(listing.resolve(NAME));
    Path later = Files.createDirectory(root.resolve("later"));
    long library = VerbsLibrary.open(EmulatedHca.library()).handle();
    long context = VerbsNative.openDevice0(library, NAME.getBytes(UTF_8));
    DeviceEvents device = new DeviceEvents(NAME, context, listing);
    try (Handle open = new Handle("RDMA device", context, device)) {
      assertFalse(open.isGone(EIO), "while it is listed");
      assertFalse(new DeviceEvents(NAME, context, root).isGone(EIO), "if it never was listed");
      EmulatedHca.set("FATAL", NAME);
      assertFalse(open.isGone(EIO), "a device that fails may still write");
      Path loop = root.resolve("loop");
      Path unreadable = Files.createSymbolicLink(loop, loop); // also for one who may read all
      assertFalse(
          new DeviceEvents(NAME, context, unreadable).isGone(EIO), "if nobody sees what is listed");
      Path renamed = Files.move(entry, listing.resolve("renamed"));
      assertFalse(open.isGone(EIO), "it has another name");
      Files.move(later, entry);
      assertFalse(open.isGone(EIO), "it has another name, and another device has its own");
      Files.delete(renamed);
      assertTrue(open.isGone(EIO), "only the other one is listed");
      Files.delete(entry);
      assertTrue(open.isGone(EIO), "none is listed");
      assertFalse(open.isGone(VerbsErrors.EINVAL), "what fails with another error");
      Files.delete(listing);
      assertFalse(open.isGone(EIO), "there is no listing to see");
    } finally {
      MoreFiles.deleteRecursively(root, RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }
}
