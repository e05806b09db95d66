// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Availability;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.Fabrics;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What a job that names no fabric makes of devices of other drivers than mlx5's. */
public final class DriversTest {
  private static final Map<String, String> HERE = Map.of("ibverbs", EmulatedHca.library());
  private static final Map<String, String> LOSSLESS =
      Map.of("ibverbs", EmulatedHca.library(), "rdma_lossless", "yes");

  @AfterMethod
  public void asBefore() {
    EmulatedHca.set("PROFILE", "mlx5");
    EmulatedHca.set("MEMLOCK_KIB", "0");
    EmulatedHca.set("FAIL_CREATE_AT", "0");
  }

  @DataProvider
  public Object[][] drivers() {
    return new Object[][] {
      {"mlx5", List.of("rc", "uc", "ud")},
      {"rxe", List.of("rc", "uc", "ud")},
      {"least", List.of("rc", "uc", "ud")},
      {"bnxt", List.of("rc", "ud")},
      {"irdma", List.of("rc", "ud")},
      {"hns", List.of("rc", "ud")},
      {"efa", List.of()},
      {"iwarp", List.of()},
    };
  }

  @Test(dataProvider = "drivers")
  public void shouldUseWhatTheDriverHas(String driver, List<String> fabrics) {
    EmulatedHca.set("PROFILE", driver);
    assertEquals(verbs(LOSSLESS), fabrics);
  }

  /** No real one was ever tried: nobody's job goes over one unasked. */
  @Test
  public void shouldUseAnEfaWhereTheDeviceOrTheFabricIsNamed() {
    EmulatedHca.set("PROFILE", "efa");
    assertEquals(verbs("", HERE), List.of());
    assertEquals(verbs("ud", HERE), List.of("ud"));
    String device = EmulatedHca.device(1);
    assertEquals(
        verbs("", Map.of("ibverbs", EmulatedHca.library(), "rdma_device", device)), List.of("ud"));
  }

  /** Its link layer is Ethernet. */
  @Test
  public void shouldSayWhatADeviceSpeaksWhenItIsNotOurs() {
    EmulatedHca.set("PROFILE", "iwarp");
    UnavailableException error =
        expectThrows(UnavailableException.class, () -> NicPort.open(first()));
    assertTrue(error.getMessage().contains("speaks iWARP"), error.getMessage());
    assertTrue(error.getMessage().contains("; use udp or tcp"), error.getMessage());
  }

  /** No real one was ever tried. */
  @Test
  public void shouldTakeAnEfaOnlyWhenItIsNamedOrNothingElseWorks() {
    VerbsSettings any = VerbsSettings.from(HERE);
    EmulatedHca.set("PROFILE", "efa,mlx5");
    assertEquals(opened(any), EmulatedHca.device(1));
    assertEquals(opened(first()), EmulatedHca.device(0));
    EmulatedHca.set("PROFILE", "iwarp,efa");
    assertEquals(opened(any), EmulatedHca.device(1));
    EmulatedHca.set("PROFILE", "efa");
    assertEquals(opened(any), EmulatedHca.device(0));
  }

  /** Each is opened to see what it is, and the first one once more. */
  @Test
  public void shouldTakeTheOtherEfaWhenOneCannotBeOpened() {
    EmulatedHca.set("PROFILE", "efa");
    long before = LateEnds.living();
    for (int object = 1; object <= 12; object++) {
      EmulatedHca.set("FAIL_CREATE_AT", Integer.toString(object));
      assertFalse(opened(VerbsSettings.from(HERE)).isEmpty());
      assertEquals(EmulatedHca.living(), before, "without object " + object);
    }
  }

  @Test
  public void shouldTakeNoEfaForARailBesideAnotherDevice() {
    EmulatedHca.set("PROFILE", "mlx5,efa");
    try (NicPort nic = NicPort.open(first())) {
      assertTrue(nic.openBeside(EmulatedHca.device(1), VerbsSettings.from(HERE)).isEmpty());
    }
  }

  @Test
  public void shouldSayWhatToUseWhenConnectionsAreWantedOfAnEfa() {
    EmulatedHca.set("PROFILE", "efa");
    FabricSettings settings = FabricSettings.of(0, JobToken.random(), HostPinner.none());
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    long before = LateEnds.living();
    for (String fabric : List.of("rc", "uc")) {
      UnavailableException error =
          expectThrows(
              UnavailableException.class, () -> Fabrics.open(fabric, settings, bind, LOSSLESS));
      assertTrue(error.getMessage().contains("no connections for " + fabric), error.getMessage());
      assertTrue(error.getMessage().contains("; use ud"), error.getMessage());
      Availability.Missing missing =
          (Availability.Missing) Fabrics.named(fabric).availability(HERE);
      assertEquals(missing.fix(), "use ud");
    }
    assertTrue(Fabrics.named("ud").availability(HERE) instanceof Availability.Available);
    assertEquals(EmulatedHca.living(), before);
  }

  private static VerbsSettings first() {
    return VerbsSettings.from(HERE).withDevice(EmulatedHca.device(0));
  }

  private static String opened(VerbsSettings settings) {
    try (NicPort nic = NicPort.open(settings)) {
      return nic.device().name();
    }
  }

  /** The flag is in bnxt's kernel driver, and the calls are not in its library. */
  @Test
  public void shouldGoWithoutWindowsWhenTheLibraryMakesNone() {
    EmulatedHca.set("PROFILE", "bnxt");
    try (NicPort nic = NicPort.open(VerbsSettings.from(HERE))) {
      assertTrue(nic.attributes().saysWindows());
      assertFalse(nic.hasWindows());
    }
  }

  /** 64 KiB are the default of many distributions. */
  @Test
  public void shouldGoWithoutRdmaWhenTheUserMayLockTooLittleMemory() {
    EmulatedHca.set("MEMLOCK_KIB", "64");
    assertEquals(verbs(LOSSLESS), List.of());
    EmulatedHca.set("MEMLOCK_KIB", "0");
    assertEquals(verbs(LOSSLESS), List.of("rc", "uc", "ud"));
  }

  @Test
  public void shouldSayWhatHelpsWhenRdmaIsNamedAndTheUserMayLockTooLittleMemory() {
    EmulatedHca.set("MEMLOCK_KIB", "64");
    FabricSettings settings = FabricSettings.of(0, JobToken.random(), HostPinner.none());
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    for (String fabric : List.of("rc", "uc", "ud")) {
      ResourceException error =
          expectThrows(
              ResourceException.class, () -> Fabrics.open(fabric, settings, bind, LOSSLESS));
      assertTrue(error.getMessage().contains("ulimit -l"), error.getMessage());
    }
  }

  @Test
  public void shouldTakeTheNextDeviceWhenTheFirstCannotBeOpened() {
    EmulatedHca.set("FAIL_CREATE_AT", "1");
    try (NicPort nic = NicPort.open(VerbsSettings.from(HERE))) {
      assertEquals(nic.device().name(), EmulatedHca.device(1));
    }
  }

  private static List<String> verbs(Map<String, String> options) {
    return verbs("", options);
  }

  private static List<String> verbs(String wanted, Map<String, String> options) {
    FabricSettings settings = FabricSettings.of(0, JobToken.random(), HostPinner.none());
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    List<Fabric> open = Fabrics.open(wanted, settings, bind, options);
    List<String> names = open.stream().map(fabric -> fabric.name().toString()).toList();
    open.forEach(Fabric::close);
    return names.stream().filter(List.of("rc", "uc", "ud")::contains).toList();
  }
}
