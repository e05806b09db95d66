// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.Fabrics;
import java.util.List;

/**
 * Which of the JVM's compilers the ranks of a job have. The rule and its reasons are in
 * docs/streams-and-threads.md, "Which compilers"; {@code compilers.c} is the same for C programs,
 * which ask the variables of launchers, too.
 */
final class Compilers {
  /** And after 20 calls, not 200: there is no other compiler to leave anything to. */
  private static final ImmutableList<String> FIRST_ONLY =
      ImmutableList.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=0.1");

  private Compilers() {}

  /**
   * The JVM's flags for them, if it needs any.
   *
   * @param spansHosts whether the ranks are known to be on several hosts
   * @param fabrics the fabrics that somebody has asked for, separated by commas; blank for none
   */
  static ImmutableList<String> flags(boolean spansHosts, String fabrics) {
    return spansHosts || isMadeByJava(fabrics) ? ImmutableList.of() : FIRST_ONLY;
  }

  private static boolean isMadeByJava(String fabrics) {
    List<String> asked = Splitter.on(',').trimResults().splitToList(fabrics);
    return Fabrics.all().stream()
        .filter(FabricProvider::makesPackets)
        .map(FabricProvider::name)
        .anyMatch(asked::contains);
  }
}
