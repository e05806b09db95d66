// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Availability;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.ucx.UcxLibrary;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/** Which fabrics are found, and which a process opens. */
public final class FabricsTest {
  private static final Map<String, String> NO_DEVICE = Map.of("ibverbs", "libtombolo-none.so.1");

  /** The emulated HCA's link is Ethernet, which may lose packets. */
  private static final Map<String, String> ETHERNET = Map.of("ibverbs", EmulatedHca.library());

  @Test
  public void shouldPreferTheFastestWay() {
    assertEquals(Fabrics.names(), List.of("shm", "rc", "uc", "ud", "ucx", "tcp", "udp"));
  }

  /** The services file is for the class path, the descriptor for the module path. */
  @Test
  public void shouldBeRegisteredForBothPaths() throws Exception {
    String name = FabricProvider.class.getName();
    URL built = FabricProvider.class.getProtectionDomain().getCodeSource().getLocation();
    Path classes = Path.of(built.toURI());
    try (InputStream file = Files.newInputStream(classes.resolve("module-info.class"))) {
      Set<String> provided =
          ModuleDescriptor.read(file).provides().stream()
              .filter(each -> each.service().equals(name))
              .flatMap(each -> each.providers().stream())
              .collect(Collectors.toSet());
      List<String> registered =
          Files.readAllLines(classes.resolve(Path.of("META-INF", "services", name)));
      assertEquals(Set.copyOf(registered), provided);
    }
  }

  @Test
  public void shouldOpenOnlyWhatIsNamedInThatOrder() {
    assertEquals(opened(" udp,, tcp ,udp", NO_DEVICE), List.of("udp", "tcp"));
    assertEquals(opened("ud,rc,shm", ETHERNET), List.of("ud", "rc", "shm"));
  }

  @Test
  public void shouldNameTheChoicesWhenTheNameIsNoFabrics() {
    UsageException error =
        expectThrows(UsageException.class, () -> opened("shm,pigeon", NO_DEVICE));
    assertTrue(error.getMessage().contains("'pigeon'; choose among shm, rc"), error.getMessage());
  }

  @Test
  public void shouldOpenWhatSuitsWhenNoneIsNamed() {
    assertEquals(opened("", NO_DEVICE), withUcxWhereItIs("shm", "tcp"));
  }

  /** Datagrams, too: they are all that some peer may have. */
  @Test
  public void shouldTakeUnreliableConnectionsWhenTheLinkMayLosePackets() {
    assertEquals(opened(" ", ETHERNET), withUcxWhereItIs("shm", "uc", "ud", "tcp"));
  }

  @Test
  public void shouldTakeReliableConnectionsWhenTheUserKnowsThatTheLinkIsLossless() {
    Map<String, String> lossless = Map.of("ibverbs", EmulatedHca.library(), "rdma_lossless", "yes");
    assertEquals(opened("", lossless), withUcxWhereItIs("shm", "rc", "uc", "ud", "tcp"));
  }

  @Test
  public void shouldMeetOverDatagramsWhenOnlyOneDeviceHasUnreliableConnections() {
    List<Fabric> here = open("uc,ud,tcp", ETHERNET);
    EmulatedHca.set("NO_UC", "1");
    List<Fabric> there = open("", ETHERNET);
    EmulatedHca.set("NO_UC", "0");
    assertFalse(there.stream().anyMatch(fabric -> fabric.name().equals("uc")), there.toString());
    FabricSelector ours = FabricSelector.of(here);
    FabricSelector theirs =
        FabricSelector.of(there.stream().filter(fabric -> !fabric.name().equals("shm")).toList());
    assertEquals(ours.choose(1, theirs.addresses()).fabric().name(), "ud");
    assertEquals(theirs.choose(0, ours.addresses()).fabric().name(), "ud");
    here.forEach(Fabric::close);
    there.forEach(Fabric::close);
  }

  /** A NIC that nobody asked for, and that has no room left, stops no job. */
  @Test
  public void shouldGoWithoutADeviceThatFailsWhenNobodyNamedIt() {
    int without = 0;
    for (int object = 1; object <= 40; object++) {
      EmulatedHca.set("FAIL_CREATE_AT", Integer.toString(object));
      List<String> names = opened("", ETHERNET);
      EmulatedHca.set("FAIL_CREATE_AT", "0");
      assertTrue(names.containsAll(List.of("shm", "tcp")), names + " without object " + object);
      without += names.contains("uc") ? 0 : 1;
    }
    assertTrue(without > 3, "only " + without + " objects are needed");
  }

  @Test
  public void shouldRefuseWhatIsNamedAndNotThere() {
    assertThrows(UnavailableException.class, () -> opened("shm,rc", NO_DEVICE));
  }

  @Test
  public void shouldSayWhyAFabricIsMissingAndWhatHelps() {
    Availability availability = Fabrics.named("ud").availability(NO_DEVICE);
    Availability.Missing missing = (Availability.Missing) availability;
    assertFalse(missing.cause().isEmpty() || missing.fix().isEmpty(), missing.toString());
    assertTrue(Fabrics.named("ud").reluctance(NO_DEVICE).isPresent());
  }

  @Test
  public void shouldTellWhichFabricsGoWrongOnPurpose() {
    assertEquals(
        Fabrics.all().stream()
            .filter(fabric -> fabric.options().contains("faults"))
            .map(FabricProvider::name)
            .toList(),
        List.of("uc", "ud", "udp"));
  }

  private static List<String> withUcxWhereItIs(String... names) {
    List<String> all = new ArrayList<>(List.of(names));
    if (UcxLibrary.availability().isAvailable()) {
      all.add(all.size() - 1, "ucx");
    }
    return all;
  }

  private static List<String> opened(String wanted, Map<String, String> options) {
    List<Fabric> fabrics = open(wanted, options);
    List<String> names = fabrics.stream().map(Fabric::name).toList();
    fabrics.forEach(Fabric::close);
    return names;
  }

  private static List<Fabric> open(String wanted, Map<String, String> options) {
    FabricSettings settings = FabricSettings.of(0, JobToken.random(), HostPinner.none());
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return Fabrics.open(wanted, settings, bind, options);
  }
}
