// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.NativeEnvironment;
import io.tombolo.runtime.environment.JobEnvironment;
import java.io.IOException;
import java.util.Map;

/**
 * A {@link TestRank} that shares its GPU with others. NCCL refuses two ranks on one GPU of one
 * host, so they say that they are on different hosts.
 */
public final class GpuRank {
  private GpuRank() {}

  /** As {@link TestRank#main}. */
  public static void main(String[] arguments) throws IOException {
    int rank = JobEnvironment.from(System.getenv()).rank();
    NativeEnvironment.export(Map.of("NCCL_HOSTID", "rank-" + rank));
    TestRank.main(arguments);
  }
}
