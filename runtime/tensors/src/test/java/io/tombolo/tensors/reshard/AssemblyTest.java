// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.reshard;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.LayoutSpec;
import io.tombolo.tensors.layout.Nearness;
import io.tombolo.tensors.layout.Place;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.testng.annotations.Test;

public class AssemblyTest {
  private static final Place HERE = new Place("the place", "host 0", "vendor 0");

  @Test
  public void shouldBringEachElementOnceFromANearestHolderHoweverShardsOverlap() {
    long seed = Long.getLong("tombolo.seed", 20_261_123);
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    int gaps = 0;
    for (int round = 0; round < 2_000; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      TensorLayout layout = layout(random);
      Assembly assembly = Assembly.of(layout, HERE);
      gaps += check(layout, assembly, where) ? 0 : 1;
    }
    assertTrue(gaps > 100 && gaps < 1_900, gaps + " layouts with gaps");
  }

  /** Whether all of the tensor comes together. */
  private static boolean check(TensorLayout layout, Assembly assembly, String where) {
    boolean complete = true;
    for (long row = 0; row < layout.whole().length(0); row++) {
      for (long column = 0; column < layout.whole().length(1); column++) {
        Box element = Box.between(new long[] {row, column}, new long[] {row + 1, column + 1});
        List<Shard> holders =
            layout.shards().stream().filter(shard -> shard.box().overlap(element) > 0).toList();
        List<Shard> givers = new ArrayList<>();
        for (Shard shard : layout.shards()) {
          assembly.from(shard.rank()).stream()
              .filter(box -> box.overlap(element) > 0)
              .forEach(box -> givers.add(shard));
        }
        assertEquals(givers.size(), holders.isEmpty() ? 0 : 1, where + ": " + element);
        if (!holders.isEmpty()) {
          assertTrue(holders.contains(givers.get(0)), where + ": " + element);
          assertEquals(nearness(givers), nearness(holders), where + ": " + element);
        }
        complete &= !holders.isEmpty();
      }
    }
    assertEquals(assembly.gap().isEmpty(), complete, where);
    assembly
        .gap()
        .ifPresent(
            gap -> {
              assertTrue(gap.elements() > 0, where);
              assertTrue(
                  layout.shards().stream().allMatch(shard -> shard.box().overlap(gap) == 0), where);
            });
    return complete;
  }

  private static Nearness nearness(List<Shard> shards) {
    return shards.stream()
        .map(shard -> shard.place().to(HERE))
        .min(Nearness::compareTo)
        .orElseThrow();
  }

  private static TensorLayout layout(Random random) {
    Box whole = Box.whole(1 + random.nextInt(5), 1 + random.nextInt(5));
    ImmutableList.Builder<Shard> shards = ImmutableList.builder();
    int ranks = 1 + random.nextInt(6);
    for (int rank = 0; rank < ranks; rank++) {
      Place place = new Place("p" + rank, "host " + random.nextInt(3), "vendor 0");
      Box box = whole;
      for (int dim = 0; dim < 2 && random.nextInt(3) > 0; dim++) {
        int one = random.nextInt((int) whole.length(dim) + 1);
        int other = random.nextInt((int) whole.length(dim) + 1);
        box = box.cut(dim, Math.min(one, other), Math.max(one, other));
      }
      shards.add(new Shard(rank, place, box));
    }
    return new TensorLayout(whole, shards.build());
  }

  @Test
  public void shouldLetEquallyNearReplicasShareTheWork() {
    TensorLayout layout = LayoutSpec.parse("8x6/R:2,S0:2").layout(new long[0], true);
    Assembly assembly = Assembly.of(layout, HERE);
    for (int rank = 0; rank < 4; rank++) {
      assertEquals(assembly.from(rank).stream().mapToLong(Box::elements).sum(), 12);
    }
  }

  @Test
  public void shouldTakeScalarsFromOneAndNothingOfEmptyTensors() {
    TensorLayout scalar =
        TensorLayout.ofMesh(
            Box.whole(),
            LayoutSpec.parse("/R:2").axes(),
            List.of(HERE, new Place("other", "host 0", "vendor 0")));
    assertEquals(Assembly.of(scalar, HERE).from(0), List.of(Box.whole()));
    assertEquals(Assembly.of(scalar, HERE).gap(), Optional.empty());
    TensorLayout empty = LayoutSpec.parse("0x4/S1:2").layout(new long[0], true);
    assertEquals(Assembly.of(empty, HERE).from(0), List.of());
    assertEquals(Assembly.of(empty, HERE).gap(), Optional.empty());
  }
}
