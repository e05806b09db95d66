// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.FabricException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.PortAttributes.Link;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.testng.annotations.Test;

/** How the settings of a port reach its queue pairs. */
public final class NicPortTest {
  @Test
  public void shouldMarkPacketsAsTheUserSays() {
    Map<String, String> marks = Map.of("rdma_traffic_class", "104", "rdma_service_level", "3");
    try (NicPort nic = NicPort.open(emulated(marks))) {
      AddressAttributes route = nic.routeTo(nic.card(), 0);
      assertEquals(route.trafficClass(), 104);
      assertEquals(route.serviceLevel(), 3);
    }
  }

  @Test
  public void shouldNameThePartitionWhenThePortHasNoSuchOne() {
    try (NicPort nic = NicPort.open(emulated(Map.of("rdma_pkey_index", "2")));
        CompletionEvents raised = nic.device().events();
        CompletionQueue queue = nic.device().completionQueue(2, raised);
        QueuePair pair =
            nic.domain()
                .queuePair(PairType.RC, new PairQueues(queue, queue, Optional.empty(), 1, 1, 0))) {
      FabricException error =
          expectThrows(FabricException.class, () -> pair.initialise(nic, Access.REMOTE_WRITE));
      assertTrue(error.getMessage().contains("partition 2 of port 1"), error.getMessage());
    }
  }

  @Test
  public void shouldTakeTheNearestDeviceThatCanBeUsed() {
    assertEquals(near("no-such,emu-mlx5_1,emu-mlx5_0"), "emu-mlx5_1");
    assertEquals(near("emu-mlx5_0"), "emu-mlx5_0");
    EmulatedHca.set("DOWN", "emu-mlx5_1");
    assertEquals(near("emu-mlx5_1"), "emu-mlx5_0");
    EmulatedHca.set("DOWN", "");
  }

  /**
   * As usNIC's ports are, and InfiniBand's whose kernel names no link: to bring them up is no help.
   */
  @Test
  public void shouldTellPortsThatAreDownFromThoseOfOtherNetworks() {
    assertTrue(NicPort.noPort(0, List.of()).contains("; bring one up"));
    for (int transport : new int[] {0, 2, 3}) {
      String why = NicPort.noPort(transport, List.of(Link.UNSPECIFIED));
      assertTrue(why.contains("transport " + transport + ", link UNSPECIFIED"), why);
      assertTrue(why.endsWith("; use ucx or tcp"), why);
    }
  }

  private static String near(String devices) {
    Map<String, String> settings = Map.of("ibverbs", EmulatedHca.library(), "rdma_near", devices);
    try (NicPort nic = NicPort.open(VerbsSettings.from(settings))) {
      return nic.device().name();
    }
  }

  @Test
  public void shouldProtectRegisteredMemoryFromForks() {
    try (NicPort nic = NicPort.open(emulated(Map.of()))) {
      assertTrue(EmulatedHca.isForkSafe(), nic.toString());
    }
  }

  private static VerbsSettings emulated(Map<String, String> said) {
    Map<String, String> settings = new HashMap<>(said);
    settings.put("ibverbs", EmulatedHca.library());
    return VerbsSettings.from(settings).withDevice(EmulatedHca.device(0));
  }
}
