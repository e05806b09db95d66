// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.doctor;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.TreeSet;

/**
 * What must be there.
 *
 * @param missing the names of what is not, as they were given
 */
record Prerequisites(ImmutableList<String> missing) {
  private static final String RDMA = "rdma";

  /** What can be needed by name. */
  private static final ImmutableSet<String> TOPICS = ImmutableSet.of("vendor", "fabric");

  /**
   * Holds {@code names}, separated by commas, against {@code findings}.
   *
   * @throws UsageException if a name is that of nothing that was looked at
   */
  static Prerequisites parse(String names, List<Finding> findings) {
    ImmutableList.Builder<String> missing = ImmutableList.builder();
    for (String name : Splitter.on(',').trimResults().omitEmptyStrings().split(names)) {
      boolean there =
          name.equals(RDMA)
              ? hasRdma(findings)
              : named(name, findings).state() == Finding.State.GOOD;
      if (!there) {
        missing.add(name);
      }
    }
    return new Prerequisites(missing.build());
  }

  /** A device is named after the NIC, without a blank; what else is said of it has more words. */
  private static boolean hasRdma(List<Finding> findings) {
    return findings.stream()
        .filter(each -> each.topic().equals(RDMA) && !each.name().contains(" "))
        .anyMatch(each -> each.state() == Finding.State.GOOD);
  }

  private static Finding named(String name, List<Finding> findings) {
    TreeSet<String> known = new TreeSet<>(ImmutableSet.of(RDMA));
    for (Finding finding : findings) {
      if (TOPICS.contains(finding.topic())) {
        if (finding.name().equals(name)) {
          return finding;
        }
        known.add(finding.name());
      }
    }
    throw new UsageException(
        "nothing is called '" + name + "'; what can be needed: " + String.join(", ", known));
  }
}
