package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.testng.annotations.Test;

/** Which of the fabrics over RDMA devices are opened, on the emulated HCA's Ethernet. */
public final class VerbsChoiceTest {
  private static final VerbsSettings ETHERNET =
      VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library()));

  @Test
  public void shouldTakeUnreliableConnectionsWhenTheLinkMayLosePackets() {
    assertEquals(opened(ETHERNET, List.of()), List.of("uc"));
  }

  @Test
  public void shouldOpenWhatIsAskedForAndNothingElse() {
    assertEquals(opened(ETHERNET, List.of("shm", "ud", "rc")), List.of("rc", "ud"));
    assertEquals(opened(ETHERNET, List.of("tcp")), List.of());
  }

  @Test
  public void shouldGoWithoutADeviceUnlessOneIsAskedFor() {
    VerbsSettings none = VerbsSettings.from(Map.of("ibverbs", "libtombolo-none.so.1"));
    assertEquals(opened(none, List.of()), List.of());
    assertThrows(UnavailableException.class, () -> opened(none, List.of("rc")));
  }

  private static List<String> opened(VerbsSettings verbs, List<String> asked) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    FabricSettings settings = FabricSettings.of(0, JobToken.random(), HostPinner.none());
    List<Fabric> fabrics = VerbsFabrics.open(settings, verbs, bind, asked);
    List<String> names = fabrics.stream().map(Fabric::name).toList();
    fabrics.forEach(Fabric::close);
    return names;
  }
}
