package io.tombolo.bench;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Collective;
import org.testng.annotations.Test;

public class SettingsTest {

  @Test
  public void shouldReadSizesInPowersOf1024() {
    assertEquals(ByteSizes.parse("8"), 8);
    assertEquals(ByteSizes.parse("3K"), 3 << 10);
    assertEquals(ByteSizes.parse("64M"), 64 << 20);
    assertEquals(ByteSizes.parse("2g"), 2L << 30);
  }

  @Test
  public void shouldRefuseWhatIsNoSize() {
    for (String text : new String[] {"", "K", "-1", "1.5M", "8KB", "1T", "99999999999999"}) {
      assertThrows(UsageException.class, () -> ByteSizes.parse(text));
    }
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
  public void shouldMeasureEachCountOnceWhenSizesAreSmallerThanAnElement() {
    assertEquals(
        settings(1, 32, "flip:1").blocks(new Operation(Collective.ALL_REDUCE, 2, 0)),
        ImmutableList.of(0L, 1L, 2L, 4L));
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
  }

  private static Settings settings(long minBytes, long maxBytes, String inject) {
    return new Settings(
        Collective.ALL_REDUCE,
        minBytes,
        maxBytes,
        2,
        5,
        1,
        DataType.F64,
        ReduceOp.SUM,
        inject,
        false,
        false);
  }
}
