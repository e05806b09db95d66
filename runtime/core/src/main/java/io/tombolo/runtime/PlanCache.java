package io.tombolo.runtime;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.UncheckedExecutionException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Planner;

/** The plans a communicator has made, by the whole call; freed with it. Thread-safe. */
final class PlanCache {
  private static final int MOST_PLANS = 1024;

  private final LoadingCache<CollectiveCall, Plan> plans;

  PlanCache(PlanContext context, int rank) {
    Planner planner = new Planner(context);
    this.plans =
        CacheBuilder.newBuilder()
            .maximumSize(MOST_PLANS)
            .build(CacheLoader.from(call -> planner.plan(call, rank)));
  }

  Plan get(CollectiveCall call) {
    try {
      return plans.getUnchecked(call);
    } catch (UncheckedExecutionException e) {
      throw e.getCause() instanceof TomboloException known ? known : e;
    }
  }
}
