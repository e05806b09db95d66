// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class DoublingTest {
  private static final long COUNT = 12;

  @DataProvider
  public Object[][] clusters() {
    return IntStream.rangeClosed(1, 40)
        .mapToObj(clusters -> new Object[] {clusters})
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "clusters")
  public void shouldExchangeBothWaysUntilEverySpeakerHasHeardOfAll(int clusters) {
    Doubling doubling = new Doubling(clusters);
    List<Integer> speakers =
        IntStream.range(0, clusters).filter(each -> !doubling.isSpokenFor(each)).boxed().toList();
    assertEquals(speakers.size(), 1 << doubling.rounds());
    List<List<Integer>> heard = new ArrayList<>();
    for (int each = 0; each < clusters; each++) {
      heard.add(doubling.speaksForNext(each) ? List.of(each, each + 1) : List.of(each));
      assertEquals(
          doubling.speaksForNext(each), each + 1 < clusters && doubling.isSpokenFor(each + 1));
    }
    for (int round = 0; round < doubling.rounds(); round++) {
      List<List<Integer>> before = List.copyOf(heard);
      for (int speaker : speakers) {
        int partner = doubling.partner(speaker, round);
        assertEquals(doubling.partner(partner, round), speaker);
        heard.set(
            speaker,
            joined(before.get(Math.min(speaker, partner)), before.get(Math.max(speaker, partner))));
      }
    }
    List<Integer> all = IntStream.range(0, clusters).boxed().toList();
    speakers.forEach(speaker -> assertEquals(heard.get(speaker), all));
  }

  private static List<Integer> joined(List<Integer> lower, List<Integer> upper) {
    List<Integer> both = new ArrayList<>(lower);
    both.addAll(upper);
    return both;
  }

  /** Of K clusters p, a power of two, exchange whole vectors log2 p times; the rest twice each. */
  @Test
  public void shouldSendWholeVectorsAsOftenAsTheFormulaSays() {
    int[] messages = {0, 0, 2, 2 + 2, 8, 8 + 2, 8 + 4, 8 + 6, 24, 24 + 2};
    for (int clusters = 3; clusters < messages.length; clusters++) {
      for (int members = 1; members <= 3; members++) {
        List<Plan> plans = plans("abcdefghi".substring(0, clusters).repeat(members), 1 << 20);
        long sent = plans.stream().mapToLong(Plan::crossBytes).sum();
        assertEquals(sent, messages[clusters] * COUNT * Float.BYTES, clusters + "×" + members);
        long most = plans.stream().mapToLong(Plan::crossBytes).max().orElseThrow();
        int rounds = clusters < 4 ? 1 : clusters < 8 ? 2 : 3;
        boolean paired = Integer.bitCount(clusters) > 1;
        assertEquals(most, (rounds + (paired ? 1 : 0)) * COUNT * Float.BYTES);
      }
    }
  }

  @Test
  public void shouldBeTheDirectWayBetweenTwoClusters() {
    for (String word : List.of("ab", "aab", "abab")) {
      assertEquals(
          plans(word, 8).toString(),
          Worlds.plans(Worlds.context(word, 8, Algorithm.DIRECT, Worlds.Profile.COMPLETE), sum())
              .toString());
    }
  }

  @Test
  public void shouldSendEachMessageInEverySegment() {
    assertTrue(plans("abc", 8).get(0).steps().size() > 5 * plans("abc", 48).get(0).steps().size());
  }

  private static List<Plan> plans(String word, long segmentBytes) {
    return Worlds.plans(
        Worlds.context(word, segmentBytes, Algorithm.DOUBLING, Worlds.Profile.COMPLETE), sum());
  }

  private static CollectiveCall sum() {
    return CollectiveCall.allReduce(COUNT, DataType.F32, ReduceOp.SUM, false);
  }
}
