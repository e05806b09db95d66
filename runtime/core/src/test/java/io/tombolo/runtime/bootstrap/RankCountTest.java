// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import io.tombolo.runtime.TestSeed;
import io.tombolo.runtime.store.CallbackStore;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Shelf;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Ranks that are counted, in any order. */
public final class RankCountTest {
  private final Multiset<String> added = ConcurrentHashMultiset.create();

  private final class CountingShelf extends Shelf {
    CountingShelf() {
      super(new MemoryStore());
    }

    @Override
    public long add(String key, long delta) {
      added.add(key);
      return super.add(key, delta);
    }
  }

  @DataProvider
  public Object[][] sizes() {
    return new Object[][] {{1}, {2}, {16}, {17}, {256}, {257}, {5000}};
  }

  @Test(dataProvider = "sizes", timeOut = 60_000)
  public void shouldTellTheLastOneAndLeaveNothing(int size) {
    added.clear();
    Shelf shelf = new CountingShelf();
    RankCount count = new RankCount(new CallbackStore(shelf), "left", size);
    List<Integer> ranks = new ArrayList<>(IntStream.range(0, size).boxed().toList());
    Collections.shuffle(ranks, new Random(TestSeed.drawn()));
    for (int rank : ranks.subList(1, size)) {
      assertFalse(count.add(rank), "rank " + rank);
    }
    assertTrue(count.add(ranks.get(0)));
    assertTrue(
        added.entrySet().stream().allMatch(key -> key.getCount() <= RankCount.FAN_OUT), added + "");
    count.clear();
    assertEquals(shelf.keys(), Set.of());
  }
}
