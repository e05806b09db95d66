// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.errors.UsageException;
import java.time.Duration;
import java.util.Map;

/**
 * The setting {@code warm_up_ms}: how long a rank that knows the others may go on to make calls of
 * its own while it joins, so that the first ones of its user find compiled code. Programs that are
 * started to make calls do so unless they are told otherwise; a job that says nothing does not.
 */
public final class WarmUpTime {
  private static final String SETTING = "warm_up_ms";
  private static final String USUAL_MS = "300";
  private static final int MOST_MS = 10_000;

  private WarmUpTime() {}

  /** {@code variables} of a process that is there to make calls: it warms up if they allow it. */
  public static ImmutableMap<String, String> usual(Map<String, String> variables) {
    return ImmutableMap.<String, String>builder()
        .put(JobEnvironment.variableOf(SETTING), USUAL_MS)
        .putAll(variables)
        .buildKeepingLast();
  }

  /** {@code settings} of a job whose ranks do other things than make calls: it does not. */
  public static ImmutableSortedMap<String, String> none(
      ImmutableSortedMap<String, String> settings) {
    return ImmutableSortedMap.copyOf(
        ImmutableMap.<String, String>builder()
            .putAll(settings)
            .put(SETTING, "0")
            .buildKeepingLast());
  }

  /**
   * How long a rank in {@code environment} may warm up; zero: not at all. At most a quarter of the
   * time that any wait may take: others may make their first call meanwhile, and wait for this
   * rank.
   *
   * @throws UsageException if that is no time from 0 to 10 s
   */
  public static Duration of(JobEnvironment environment) {
    int ms = environment.number(SETTING, 0);
    if (ms > MOST_MS) {
      throw new UsageException(
          "%s is %s; it must be at most %s"
              .formatted(JobEnvironment.variableOf(SETTING), ms, MOST_MS));
    }
    Duration most = environment.timeout().dividedBy(4);
    Duration set = Duration.ofMillis(ms);
    return set.compareTo(most) < 0 ? set : most;
  }
}
