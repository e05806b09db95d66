// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.SealedStore;
import io.tombolo.runtime.store.Store;
import java.util.List;
import org.testng.annotations.Test;

/** The keys are those that torch 2.15 and torchrun made. */
public class FoundPlaceTest {
  private static final String GROUP = "default_pg/0//communicator-tombolo%2F0/";
  private static final String NEXT =
      "worker/attempt_1/default_pg/0//1//communicator-tombolo%2F3/generation-3/";

  @Test
  public void shouldFindWhereTorchHasItsGroupsMeet() {
    assertEquals(
        FoundPlace.among(
            List.of(
                GROUP + "alive/0",
                GROUP + "presence/size",
                GROUP + "presence/0",
                GROUP + "token",
                NEXT + "round-12/presence/size",
                NEXT + "presence/size",
                "default_pg/0//tombolo/joined/0")),
        List.of(
            new FoundPlace("default_pg/0/", "communicator-tombolo%2F0/", false),
            new FoundPlace(
                "worker/attempt_1/default_pg/0//1/",
                "communicator-tombolo%2F3/generation-3/",
                true)));
  }

  @Test
  public void shouldFindJobsOfRanksThatKnowTheStore() {
    assertEquals(
        FoundPlace.among(List.of("tombolo/presence/size", "tombolo/generation-2/presence/size")),
        List.of(
            new FoundPlace("tombolo", "", true), new FoundPlace("tombolo", "generation-2/", true)));
    assertEquals(FoundPlace.among(List.of("presence/size")), List.of(new FoundPlace("", "", true)));
  }

  @Test
  public void shouldTakeNothingElseForOne() {
    assertEquals(
        FoundPlace.among(List.of("xpresence/size", "a/presence/size/b", "a/presence/sizes", "")),
        List.of());
  }

  /** Values carry seals that are bound to the keys as the ranks, below the prefix, know them. */
  @Test
  public void shouldReadWhatTheRanksPutThere() {
    JobToken token = JobToken.random();
    FoundPlace sealed = new FoundPlace("default_pg/0/", "communicator-tombolo%2F0/", true);
    try (Store store = new MemoryStore()) {
      new SealedStore(store.within("default_pg/0/"), token)
          .within("communicator-tombolo%2F0")
          .set("presence/size", "3".getBytes(UTF_8));
      assertEquals(Presence.size(sealed.in(store, token)).orElseThrow(), Integer.valueOf(3));
      expectThrows(
          CorruptException.class, () -> Presence.size(sealed.in(store, JobToken.random())));
      FoundPlace open = new FoundPlace("a", "", false);
      store.set("a/presence/size", "7".getBytes(UTF_8));
      assertEquals(Presence.size(open.in(store, token)).orElseThrow(), Integer.valueOf(7));
      assertTrue(open.name().startsWith("a"), open.name());
    }
  }
}
