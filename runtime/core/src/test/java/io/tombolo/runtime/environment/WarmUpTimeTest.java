// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.Test;

public final class WarmUpTimeTest {
  private static final String VARIABLE = "TOMBOLO_WARM_UP_MS";
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  @Test
  public void shouldTakeSomeTimeUnlessTheUserSaysOtherwise() {
    assertEquals(WarmUpTime.usual(Map.of("RANK", "0")), Map.of("RANK", "0", VARIABLE, "300"));
    assertEquals(WarmUpTime.usual(Map.of(VARIABLE, "0")), Map.of(VARIABLE, "0"));
  }

  @Test
  public void shouldTakeNoneInJobsThatMakeNoCalls() {
    ImmutableSortedMap<String, String> settings = ImmutableSortedMap.of("fabrics", "tcp");
    assertEquals(WarmUpTime.none(settings), Map.of("fabrics", "tcp", "warm_up_ms", "0"));
    ImmutableSortedMap<String, String> set = ImmutableSortedMap.of("warm_up_ms", "300");
    assertEquals(WarmUpTime.none(set), Map.of("warm_up_ms", "0"));
  }

  @Test
  public void shouldReadWhatIsSet() {
    assertEquals(WarmUpTime.of(saying(ImmutableSortedMap.of())), Duration.ZERO);
    assertEquals(of("250"), Duration.ofMillis(250));
    expectThrows(UsageException.class, () -> of("10001"));
    expectThrows(UsageException.class, () -> of("soon"));
  }

  @Test
  public void shouldLeaveMostOfTheTimeOfOthersFirstCallsToThem() {
    assertEquals(of("251"), TIMEOUT.dividedBy(4));
    assertEquals(of("10000"), TIMEOUT.dividedBy(4));
  }

  private static Duration of(String value) {
    return WarmUpTime.of(saying(ImmutableSortedMap.of("warm_up_ms", value)));
  }

  private static JobEnvironment saying(ImmutableSortedMap<String, String> settings) {
    return new JobEnvironment(
        0,
        1,
        0,
        "127.0.0.1",
        1,
        JobEnvironment.StoreKind.TOMBOLO,
        JobToken.random(),
        "host",
        TIMEOUT,
        settings);
  }
}
