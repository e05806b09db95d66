// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.lab.simulated.SimulatedSlab;
import java.util.Optional;
import java.util.stream.LongStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** More peers than slots, under seeded faults: each that talks gets its turn. */
public class CrowdedSlabTest {
  private static final int SEEDS = 200;
  private static final int MUTANT_SEEDS = 20;

  @Test
  public void shouldServeAllThatTalkUnderEverySeed() {
    assertEquals(complaint(SEEDS, new Mutant()), Optional.empty());
  }

  @DataProvider
  Object[][] mutants() {
    return new Object[][] {
      {"a channel that ends keeps its place in line", new Spoiled(false, true)},
      {"a silent peer counts as one that has asked", new Spoiled(true, false)},
      {"a clear-to-send is asked for once", Mutants.saidOnce(PacketCodec.REQUEST)},
    };
  }

  @Test(dataProvider = "mutants")
  public void shouldFindEachFailureWhenItIsPutIn(String name, Mutant mutant) {
    Optional<String> found = complaint(MUTANT_SEEDS, mutant);
    System.out.println(name + ": " + found);
    assertTrue(found.isPresent(), "no seed finds that " + name);
  }

  private static Optional<String> complaint(int seeds, Mutant mutant) {
    return LongStream.range(0, seeds)
        .parallel()
        .mapToObj(seed -> Optional.ofNullable(Crowd.play(seed, mutant)))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Whose pool forgets nobody, or takes everybody for one that has asked. */
  private static final class Spoiled extends Mutant {
    private final boolean forgets;
    private final boolean listens;

    Spoiled(boolean forgets, boolean listens) {
      this.forgets = forgets;
      this.listens = listens;
    }

    @Override
    SlabPool pool(SimulatedSlab slab, int slots, long slotBytes) {
      return new SlabPool(
          slots, slotBytes, slab.pool().hostAddress(0), 0, SimulatedSlab.PACKET_LIFE_NS, slab) {
        @Override
        int acquire(SlabShare share, boolean asked, long nowNs) {
          return super.acquire(share, asked || !listens, nowNs);
        }

        @Override
        void forget(SlabShare share) {
          if (forgets) {
            super.forget(share);
          }
        }
      };
    }
  }
}
