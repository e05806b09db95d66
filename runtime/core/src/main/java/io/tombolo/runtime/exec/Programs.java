package io.tombolo.runtime.exec;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import io.tombolo.runtime.plan.Plan;

/** The programs of plans, made once; they go when the plans do. Used by the agent's thread only. */
final class Programs {
  private final LoadingCache<Plan, Program> programs =
      CacheBuilder.newBuilder().weakKeys().build(CacheLoader.from(Program::new));

  Program of(Plan plan) {
    return programs.getUnchecked(plan);
  }
}
