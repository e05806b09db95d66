// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Collective;
import org.testng.annotations.Test;

public class SettingsTest {

  @Test
  public void shouldRefuseToMeasureLessThanAnElement() {
    UsageException error = expectThrows(UsageException.class, () -> settings(3, 3, null));
    assertEquals(
        error.getMessage(), "3 bytes hold no element of f64, which has 8: begin with --begin 8");
    assertEquals(settings(0, 0, null).minBytes(), 0, "none at all is asked for on purpose");
  }

  @Test
  public void shouldGoFromTheFirstToTheLastSizeByTheFactor() {
    assertEquals(SizeRange.of(8, 128, 4), ImmutableList.of(8L, 32L, 128L));
    assertEquals(SizeRange.of(8, 127, 4), ImmutableList.of(8L, 32L));
    assertEquals(SizeRange.of(0, 4, 2), ImmutableList.of(0L, 2L, 4L));
  }

  @Test
  public void shouldRefuseRangesThatNeverEnd() {
    assertThrows(UsageException.class, () -> SizeRange.of(8, 64, 1));
    assertThrows(UsageException.class, () -> SizeRange.of(64, 8, 2));
  }

  @Test
  public void shouldMeasureEachCountOnceWhenSizesAreSmallerThanABlock() {
    assertEquals(
        settings(8, 64, "flip:1").blocks(new CollectiveOperation(Collective.REDUCE_SCATTER, 4, 0)),
        ImmutableList.of(0L, 1L, 2L));
  }

  @Test
  public void shouldRefuseADamageItDoesNotKnow() {
    assertThrows(UsageException.class, () -> settings(8, 8, "flop:1"));
    assertThrows(UsageException.class, () -> settings(8, 8, "flip:0"));
  }

  @Test
  public void shouldReachRanksUnchanged() {
    Settings settings = settings(8, 1 << 20, "flip:2");
    assertEquals(Settings.fromJson(settings.toJson()), settings);
    Settings plain = settings(8, 8, null);
    assertEquals(Settings.fromJson(plain.toJson()), plain);
    Settings settling = settings(8, 8, null, null);
    assertEquals(Settings.fromJson(settling.toJson()), settling);
  }

  private static Settings settings(long minBytes, long maxBytes, String inject) {
    return settings(minBytes, maxBytes, inject, 1);
  }

  private static Settings settings(long minBytes, long maxBytes, String inject, Integer warmup) {
    return new Settings(
        "all_reduce",
        minBytes,
        maxBytes,
        2,
        5,
        warmup,
        DataType.F64,
        ReduceOp.SUM,
        inject,
        false,
        false,
        true,
        null);
  }
}
