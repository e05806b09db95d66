// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.launch.Sourced;
import java.util.Map;

/**
 * Which processors ranks have here, and how many ranks share them, as far as that can be known
 * before they join. Pure.
 *
 * @param usable processors that this process may use
 * @param online processors that this host has; 0 if nobody says
 */
record ProcessorChecks(int usable, int online) {
  private static final String RANKS = "ranks";

  /** What is known if the environment has these {@code variables}. */
  ImmutableList<Finding> findings(Map<String, String> variables) {
    return ImmutableList.of(processors(), ranks(variables));
  }

  private Finding processors() {
    String limit = isLimited() ? " of " + online + ", by affinity or a cgroup" : "";
    return Finding.good(
        "java",
        "processors",
        usable
            + limit
            + "; if a job has no more ranks here, and no emulated devices, ranks that wait keep theirs for a moment, else they yield");
  }

  private boolean isLimited() {
    return usable < online;
  }

  private Finding ranks(Map<String, String> variables) {
    try {
      return LaunchEnvironment.of(variables)
          .localSize()
          .map(this::shared)
          .orElseGet(
              () ->
                  good(
                      "unknown, as no launcher says how many it has started here; when they join, ranks count those of their job that may run on the same processors, and nobody counts other jobs'"));
    } catch (UsageException e) {
      return poor("unknown: " + e.getMessage(), "a rank that finds these variables cannot join");
    }
  }

  private Finding shared(Sourced<Integer> said) {
    String count = said.value() + " of one job, as " + said.origin() + " says";
    if (said.value() <= usable) {
      return good(count + ": a processor for each, if there are no other jobs here");
    }
    if (isLimited()) {
      return good(
          count
              + "; whether some may run on the same processors as this process, they find out when they join");
    }
    return poor(
        "%s: they share %s processors".formatted(count, usable),
        "ranks that wait yield, and none warms up while it joins: start fewer here, or have more processors");
  }

  private static Finding good(String value) {
    return Finding.good("host", RANKS, value);
  }

  private static Finding poor(String value, String fix) {
    return Finding.poor("host", RANKS, value, fix);
  }
}
