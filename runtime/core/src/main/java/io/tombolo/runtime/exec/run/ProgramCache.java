// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import io.tombolo.runtime.plan.Plan;

/** The programs of plans, made once; they go when the plans do. Used by the agent's thread only. */
public final class ProgramCache {
  private final LoadingCache<Plan, Program> programs =
      CacheBuilder.newBuilder().weakKeys().build(CacheLoader.from(Program::new));

  public Program of(Plan plan) {
    return programs.getUnchecked(plan);
  }
}
