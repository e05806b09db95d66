// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.UncheckedExecutionException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.PlanProof;
import io.tombolo.runtime.plan.Planner;

/** The plans a communicator has made, by the whole call; freed with it. Thread-safe. */
final class PlanCache {
  private static final int MAX_PLANS = 1024;

  /** A proof looks at all ranks' steps in pairs, which only small jobs have time for. */
  private static final int MAX_PROVEN_RANKS = 16;

  private final PlanContext context;
  private final Planner planner;
  private final int rank;
  private final boolean prove;
  private final LoadingCache<CollectiveCall, Plan> plans =
      CacheBuilder.newBuilder().maximumSize(MAX_PLANS).build(CacheLoader.from(this::plan));

  /**
   * What was asked for last, in whatever thread: asked for again, as most calls repeat the one
   * before, it is found without a hash, and without the object by which the cache notes each use.
   */
  private volatile Plan last;

  /** A cache for {@code rank}; with {@code verify}, new plans of small jobs are proven first. */
  PlanCache(PlanContext context, int rank, boolean verify) {
    this.context = context;
    this.planner = new Planner(context);
    this.rank = rank;
    this.prove = verify && context.clustering().size() <= MAX_PROVEN_RANKS;
  }

  private Plan plan(CollectiveCall call) {
    if (prove) {
      PlanProof.prove(context, call, rank);
    }
    return planner.plan(call, rank);
  }

  Plan get(CollectiveCall call) {
    Plan memo = last;
    if (memo != null && memo.call().equals(call)) {
      return memo;
    }
    Plan plan = lookUp(call);
    last = plan;
    return plan;
  }

  private Plan lookUp(CollectiveCall call) {
    try {
      return plans.getUnchecked(call);
    } catch (UncheckedExecutionException e) {
      throw e.getCause() instanceof TomboloException known ? known : e;
    }
  }
}
