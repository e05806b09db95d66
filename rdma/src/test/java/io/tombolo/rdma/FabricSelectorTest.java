// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UnavailableException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.testng.annotations.AfterClass;
import org.testng.annotations.Test;

/** Which fabric leads to a peer, and why. */
public final class FabricSelectorTest {
  private final Fabric shm = Kind.SHM.open(0, JobToken.random(), SlotGeometry.DEFAULT);
  private final Fabric tcp = Kind.TCP.open(0, JobToken.random(), SlotGeometry.DEFAULT);
  private final List<Fabric> open = List.of(shm, tcp);

  @AfterClass
  public void close() {
    open.forEach(Fabric::close);
  }

  @Test
  public void shouldPreferSharedMemoryWhenThePeerIsOnThisHost() {
    FabricSelector selector = FabricSelector.of(open);
    FabricSelector.Choice choice = selector.choose(3, selector.addresses());
    assertEquals(choice.fabric(), shm);
    assertEquals(choice.reason(), "same host");
  }

  @Test
  public void shouldFallBackToTcpWhenThePeerIsOnAnotherHost() {
    Map<String, byte[]> addresses =
        Map.of(
            "shm", ascii("0123456789abcdef tombolo-" + "0".repeat(32)),
            "tcp", ascii("0123456789abcdef 4711 192.0.2.7"));
    FabricSelector.Choice choice = FabricSelector.of(open).choose(3, addresses);
    assertEquals(choice.fabric(), tcp);
    assertEquals(choice.reason(), "network (shm does not reach it)");
  }

  @Test
  public void shouldSayTheSameOfPeersThatAreReachedAlike() {
    Map<String, byte[]> addresses = Map.of("tcp", ascii("0123456789abcdef 4711 192.0.2.7"));
    FabricSelector selector = FabricSelector.of(open);
    assertEquals(selector.choose(3, addresses), selector.choose(4, addresses));
  }

  @Test
  public void shouldSayWhatIsWrongWithEachWhenNoneReaches() {
    Map<String, byte[]> addresses = Map.of("tcp", ascii("0123456789abcdef 4711 127.0.0.1"));
    UnavailableException error =
        expectThrows(
            UnavailableException.class, () -> FabricSelector.of(open).choose(3, addresses));
    assertTrue(
        error.getMessage().contains("rank 3: it has no shm, tcp does not reach it;"),
        error.getMessage());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
