// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.testng.annotations.Test;

/** What somebody sees who looks at a job through its store. */
public class RunningJobTest {
  /** Rank 0 meets the others, which are there. */
  private static void meet(Store store, int size) {
    JoinTime time = JoinTime.begin(store, 0, Duration.ofSeconds(60));
    assertEquals(Rendezvous.exchange(store, Descriptors.of(0), size, time).ranks().size(), size);
  }

  @Test
  public void shouldSayWhoHasNotComeAndThenShowEveryone() {
    Store store = new MemoryStore();
    UnavailableException empty =
        expectThrows(UnavailableException.class, () -> RunningJob.read(store));
    assertTrue(empty.getMessage().contains("rank 0 has not come yet"), empty.getMessage());
    Presence.announce(store, 3);
    store.set("rendezvous/0", new byte[] {1});
    RendezvousTest.publish(store, Descriptors.of(2), 3);
    UnavailableException early =
        expectThrows(UnavailableException.class, () -> RunningJob.read(store));
    assertTrue(early.getMessage().startsWith("1 of 3 ranks have not come"), early.getMessage());
    assertTrue(early.getMessage().contains("[1]"), early.getMessage());
    RendezvousTest.publish(store, Descriptors.of(1), 3);
    meet(store, 3);
    assertEquals(RunningJob.read(store).presences().size(), 0, "all connect");
    Presence.publish(
        store, 0, "node7", ImmutableMap.of(2, "shm (shared): same host"), Optional.of("it locks"));
    Presence.publish(store, 1, "node7", ImmutableMap.of(), Optional.empty());
    FailureWatch.report(store, 1, "broken");
    RunningJob job = RunningJob.read(store);
    assertEquals(
        job.presences().get(0).routes(), ImmutableSortedMap.of(2, "shm (shared): same host"));
    assertEquals(job.presences().get(0).hostOrder(), Optional.of("it locks"));
    assertEquals(job.presences().get(1).hostOrder(), Optional.empty());
    assertEquals(job.failure().orElseThrow(), "rank 1: broken");
    assertEquals(job.topology().size(), 3);
    assertEquals(job.topology().hosts().get(0).name(), "node7");
    assertEquals(job.topology().accelerator(1).vendor(), "emu-amd");
    assertEquals(job.topology().accelerator(1).id(), "pid 4712");
  }

  @Test
  public void shouldRefuseWhatNoRankWrote() {
    for (String size : List.of("x", "-1", "0", "1000000000", "")) {
      Store strange = new MemoryStore();
      strange.within("presence").set("size", size.getBytes(StandardCharsets.UTF_8));
      expectThrows(CorruptException.class, () -> RunningJob.read(strange));
    }
    Store store = new MemoryStore();
    Presence.announce(store, 1);
    meet(store, 1);
    store.within("presence").set("0", new byte[] {1, 0, 9, 9, 9, 9});
    expectThrows(CorruptException.class, () -> RunningJob.read(store));
  }
}
