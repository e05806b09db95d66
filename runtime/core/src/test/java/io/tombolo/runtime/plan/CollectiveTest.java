// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

public class CollectiveTest {
  /** Written down when they first went over the wire; they never change. */
  private static final ImmutableMap<String, Integer> CODES =
      ImmutableMap.<String, Integer>builder()
          .put("all_reduce", 0)
          .put("reduce", 1)
          .put("broadcast", 2)
          .put("all_gather", 3)
          .put("reduce_scatter", 4)
          .put("all_to_all", 7)
          .put("gather", 8)
          .put("scatter", 9)
          .put("barrier", 10)
          .put("all_gather_v", 11)
          .put("reduce_scatter_v", 12)
          .put("gather_v", 13)
          .put("scatter_v", 14)
          .put("all_to_all_v", 15)
          .put("exchange", 16)
          .put("scan", 17)
          .put("exscan", 18)
          .build();

  @Test
  public void shouldKeepTheNumbersOfTheWire() {
    assertEquals(
        Arrays.stream(Collective.values())
            .collect(Collectors.toMap(Collective::text, Collective::code)),
        CODES);
    for (Collective each : Collective.values()) {
      assertEquals(Collective.ofCode(each.code()), Optional.of(each));
    }
    assertEquals(Collective.ofCode(5), Optional.empty(), "a send is no operation of all ranks");
  }

  @Test
  public void shouldNameEveryOperationWithAndWithoutItsUnevenForm() {
    for (Collective each : Collective.values()) {
      assertEquals(Collective.parse(each.text()), each);
      assertEquals(each.isUneven(), each.text().endsWith("_v"), each.text());
      assertFalse(each.even().isUneven(), each.text());
    }
    UsageException error = expectThrows(UsageException.class, () -> Collective.parse("send"));
    assertTrue(error.getMessage().contains("all_reduce"), error.getMessage());
  }
}
