package io.tombolo.runtime;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.common.collect.ImmutableMap;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.Executor;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.topology.Clustering;
import java.util.Optional;

/**
 * All ranks of a job, of whatever vendors, as one group.
 *
 * <p>Collective calls come from one thread at a time and in the same order on all ranks; they
 * neither block nor synchronise the device. The stream that a call names starts the operation when
 * it reaches it, and waits for its end. Buffers are device memory of this process's {@link #device}
 * and belong to the communicator until the {@link Work} is done. Everything else here is
 * thread-safe.
 */
public final class Communicator implements AutoCloseable {
  private final Session session;
  private final PlanCache plans;
  private final Executor executor;

  private Communicator(Session session) {
    this.session = session;
    this.plans = new PlanCache(session.context(), session.rank(), session.verifiesPlans());
    this.executor = session.executor();
  }

  /**
   * Joins the job that {@code environment} describes; blocks until all ranks came and agreed.
   *
   * @throws TomboloException naming the ranks that are missing, disagree or failed, within the
   *     environment's timeout
   */
  public static Communicator join(JobEnvironment environment) {
    return new Communicator(Session.join(environment));
  }

  /** This process's rank. */
  public int rank() {
    return session.rank();
  }

  /** Number of ranks. */
  public int size() {
    return session.context().clustering().size();
  }

  /** Which ranks belong together, and why. */
  public Clustering clustering() {
    return session.context().clustering();
  }

  /** What all ranks agreed on when they joined. */
  public PlanContext context() {
    return session.context();
  }

  /** This process's device. */
  public DeviceAdaptor device() {
    return session.device();
  }

  /**
   * Combines {@code count} elements of every rank; every rank gets the same bits.
   *
   * @param send device address of {@code count} elements; not written unless it equals {@code
   *     receive}
   * @param receive device address of the result; equal to {@code send} for an in-place call, else
   *     not overlapping it
   * @param stream starts the operation when it gets there, and waits for its end
   * @throws io.tombolo.base.errors.UnsupportedException if a vendor does not declare it; nothing
   *     was started
   */
  public Work allReduce(
      long send, long receive, long count, DataType type, ReduceOp op, Stream stream) {
    CollectiveCall call = CollectiveCall.allReduce(count, type, op, send == receive);
    long distance = Math.abs(send - receive);
    checkArgument(
        distance == 0 || distance >= call.sizeBytes(),
        "send and receive overlap without being the same buffer");
    return executor.submit(plans.get(call), send, receive, stream);
  }

  /** What this rank would run for {@code call}. */
  public Plan plan(CollectiveCall call) {
    return plans.get(call);
  }

  /** What this rank has moved so far. */
  public Traffic traffic() {
    return session.traffic();
  }

  /**
   * How data reaches each peer this rank exchanges messages with, and why: {@code shm (pinned):
   * same host}.
   */
  public ImmutableMap<Integer, String> routes() {
    return session.routes();
  }

  /** The failure that ended this communicator, if one did. */
  public Optional<TomboloException> failure() {
    return executor.failure();
  }

  /** Leaves the job. Operations under way are aborted first. */
  @Override
  public void close() {
    session.close();
  }
}
