// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;

import io.tombolo.base.JobToken;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Runs a C program on a volume of this process, under {@code -Xcheck:jni}. */
public class VolumeInterfaceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @DataProvider
  public static Object[][] ways() {
    return new Object[][] {{"shared"}, {"connection"}};
  }

  /** A store is no job: half of what a launcher says is no reason to fail. */
  @Test(dataProvider = "ways", timeOut = 300_000)
  public void shouldPutAndGetTensorsFromC(String way) {
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Volume volume = Volume.serve(anyPort, token, new VolumeOptions(1 << 20, 2, PATIENCE))) {
      String address = "127.0.0.1:" + volume.address().getPort();
      CProgram.Ended end =
          CProgram.of("src/test/programs/volume.c")
              .run(Map.of("TOMBOLO_TOKEN", token.hex(), "RANK", "1"), address, way);
      assertEquals(end.status(), 0, end.output());
      assertFalse(end.output().contains("WARNING"), end.output());
    }
  }

  /** One rank puts a tensor of its device, the other gets it to that of another vendor. */
  @Test(dataProvider = "ways", timeOut = 300_000)
  public void shouldPutAndGetTensorsOfDevicesFromC(String way) {
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Volume volume = Volume.serve(anyPort, token, new VolumeOptions(1 << 24, 2, PATIENCE))) {
      String address = "127.0.0.1:" + volume.address().getPort();
      CProgram.of("src/test/programs/volume_device.c")
          .runJob(List.of("emu-nvidia", "emu-amd"), Map.of(), address, token.hex(), way)
          .forEach(rank -> assertFalse(rank.output().contains("WARNING"), rank.output()));
    }
  }
}
