// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Availability;
import io.tombolo.base.NativeEnvironment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.openucx.jucx.ucs.UcsConstants.STATUS;
import org.testng.SkipException;
import org.testng.annotations.Test;

/** Whether there is a UCX, and what is said if there is none. */
public final class UcxLibraryTest {
  @Test
  public void shouldSayCauseAndFixWhenTheLibraryIsMissing() {
    Availability answer = UcxLibrary.probe("amd64", "libucp-of-another-planet.so.0");
    Availability.Missing missing = (Availability.Missing) answer;
    assertTrue(missing.cause().contains("libucp-of-another-planet.so.0"), missing.cause());
    assertTrue(missing.fix().contains("apt-get install libucx0"), missing.fix());
  }

  @Test
  public void shouldSayThatItIsNoUcxWhenTheLibraryIsAnother() {
    Availability answer = UcxLibrary.probe("amd64", "libc.so.6");
    Availability.Missing missing = (Availability.Missing) answer;
    assertTrue(missing.cause().contains("ucp_get_version_string"), missing.cause());
  }

  @Test
  public void shouldSayThatJucxIsForAnotherMachine() {
    Availability answer = UcxLibrary.probe("aarch64", "libucp.so.0");
    assertTrue(((Availability.Missing) answer).cause().contains("aarch64"));
  }

  @Test
  public void shouldAcceptWhatThisJucxWorksWith() {
    assertTrue(UcxLibrary.isUsable("1.13.1"));
    assertTrue(UcxLibrary.isUsable("1.18.1"));
    for (String version : new String[] {"1.12.1", "2.0.0", "1.", "", "1.99999999999.0"}) {
      assertFalse(UcxLibrary.isUsable(version), version);
    }
  }

  @Test
  public void shouldLeaveNoFileBehindWhenJucxIsLoaded() throws IOException {
    usable();
    Path maps = Path.of("/proc/self/maps");
    try (Stream<String> lines = Files.lines(maps)) {
      Optional<String> jucx = lines.filter(line -> line.contains("libjucx")).findFirst();
      assertTrue(jucx.orElseThrow().endsWith(" (deleted)"), jucx.get());
    }
  }

  @Test
  public void shouldKeepUcxOffTheSignalsAndTheCodeOfTheJvm() {
    UcxLibrary.exportDefaults();
    assertEquals(NativeEnvironment.get("UCX_HANDLE_ERRORS"), Optional.of("none"));
    assertEquals(NativeEnvironment.get("UCX_ERROR_SIGNALS"), Optional.of(""));
    assertEquals(NativeEnvironment.get("UCX_MEM_MMAP_HOOK_MODE"), Optional.of("none"));
  }

  /** The numbers that {@link UcxStatus} was written with, against those jucx was compiled with. */
  @Test
  public void shouldKnowTheCodesOfUcx() {
    usable();
    int[] gone = {
      STATUS.UCS_ERR_TIMED_OUT,
      STATUS.UCS_ERR_NOT_CONNECTED,
      STATUS.UCS_ERR_CONNECTION_RESET,
      STATUS.UCS_ERR_ENDPOINT_TIMEOUT
    };
    for (int status : gone) {
      assertTrue(UcxStatus.isPeerGone(status), "code " + status);
    }
    assertFalse(UcxStatus.isPeerGone(STATUS.UCS_ERR_IO_ERROR));
    assertEquals(STATUS.UCS_OK, UcxStatus.OK);
    String unreachable = UcxStatus.error("x", STATUS.UCS_ERR_UNREACHABLE, "y").getMessage();
    assertTrue(unreachable.contains("UCX_TLS") && unreachable.contains("-6"), unreachable);
  }

  @Test
  public void shouldKeepToThisHostWhenTheJobDoes() {
    InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    assertEquals(UcxMedium.optionsFor(here, true, Map.of()).get("NET_DEVICES"), "lo");
    Map<String, String> users = Map.of("UCX_NET_DEVICES", "mlx5_0:1", "UCX_TLS", "rc");
    assertEquals(UcxMedium.optionsFor(here, false, users), Map.of());
    InetSocketAddress network = new InetSocketAddress("192.0.2.1", 0);
    assertFalse(UcxMedium.optionsFor(network, false, Map.of()).containsKey("NET_DEVICES"));
  }

  /** Others may lead nowhere. */
  @Test
  public void shouldTakeTheInterfaceThatOthersReachUnlessThereIsRdma() throws SocketException {
    NetworkInterface one =
        NetworkInterface.networkInterfaces()
            .filter(each -> each.inetAddresses().anyMatch(at -> !at.isLoopbackAddress()))
            .findFirst()
            .orElseThrow(() -> new SkipException("no interface but the loopback's here"));
    InetAddress at =
        one.inetAddresses().filter(each -> !each.isLoopbackAddress()).findFirst().orElseThrow();
    InetSocketAddress bind = new InetSocketAddress(at, 0);
    assertEquals(UcxMedium.optionsFor(bind, false, Map.of()).get("NET_DEVICES"), one.getName());
    assertFalse(UcxMedium.optionsFor(bind, true, Map.of()).containsKey("NET_DEVICES"));
  }

  private static void usable() {
    if (UcxLibrary.availability() instanceof Availability.Missing missing) {
      throw new SkipException("no UCX here: " + missing.cause() + "; " + missing.fix());
    }
  }
}
