package io.tombolo.runtime.exec;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Collective;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.Work;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Resource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Runs the operations of one communicator, one after the other, in the order of the calls.
 *
 * <p>{@link #submit} is for one thread at a time and does not block; everything else happens on the
 * agent's thread. The first failure, wherever it comes from, ends all operations.
 */
public final class Executor implements Duty, AutoCloseable {
  /** How many rounds pass between two looks at the vendor's asynchronous errors. */
  private static final int ROUNDS_PER_VENDOR_CHECK = 256;

  /** Ranks that do not see the cause themselves let those that do speak first. */
  private static final Duration COURTESY = Duration.ofSeconds(2);

  private final Duration timeout;
  private final int size;
  private final DeviceAdaptor device;
  private final CallCheck check;
  private final Optional<CclCommunicator> vendor;
  private final Capabilities declared;
  private final Fate fate;
  private final Intake intake;
  private final Arena stage;
  private final Arena scratch;
  private final CopyEngine copies;
  private final Optional<VendorEngine> vendorEngine;
  private final HostEngine host = new HostEngine(HostReducer.best());
  private final IntFunction<Channel> dataChannels;
  private final Map<Integer, ChannelEngine> channels = new HashMap<>();

  private volatile Operation current;
  private ProgramRun run;
  private Optional<TomboloException> suspended = Optional.empty();
  private int rounds;

  /**
   * What an executor works with; all of it is closed with the executor, except the device.
   *
   * @param rank this process's rank
   * @param size number of ranks
   * @param device this process's device
   * @param vendor the vendor's communicator of this rank's cluster; none in a cluster of one
   * @param declared what the vendor's library is declared to do
   * @param clusterSize number of members of this rank's cluster
   * @param dataChannels opens the channel to a rank, when a plan first exchanges messages with it;
   *     called on the agent's thread, does not block
   * @param controlChannels to {@link #controlPeers}, by rank
   * @param timeout how long an operation may take from the moment its stream reached it
   * @param wake tells whoever drives this duty that there is something to do
   */
  public record Parts(
      int rank,
      int size,
      DeviceAdaptor device,
      Optional<CclCommunicator> vendor,
      Capabilities declared,
      int clusterSize,
      IntFunction<Channel> dataChannels,
      Map<Integer, Channel> controlChannels,
      Duration timeout,
      Runnable wake) {}

  /** An executor over {@code parts} that fails with all that shares {@code fate}. */
  public Executor(Parts parts, Fate fate) {
    this.timeout = parts.timeout();
    this.size = parts.size();
    this.device = parts.device();
    this.vendor = parts.vendor();
    this.declared = parts.declared();
    this.fate = fate;
    this.check = new CallCheck(parts.rank(), parts.size(), parts.controlChannels());
    this.intake = new Intake(parts.rank(), parts.device(), fate, parts.wake());
    this.stage = new Arena(parts.device()::allocatePinned);
    this.scratch = new Arena(parts.device()::allocate);
    this.copies = new CopyEngine(parts.device());
    this.vendorEngine =
        vendor.map(ccl -> new VendorEngine(parts.device(), ccl, parts.clusterSize()));
    this.dataChannels = parts.dataChannels();
    fate.onFailure(cause -> abandon());
  }

  /** Ranks that vote with {@code rank}: an executor needs a control channel to each. */
  public static Iterable<Integer> controlPeers(int rank, int size) {
    return CallCheck.neighbours(rank, size);
  }

  /**
   * Queues {@code plan} on {@code stream}: it starts when the stream reaches it, and the stream
   * waits for its end.
   */
  public Work submit(Plan plan, long inputAddress, long outputAddress, Stream stream) {
    CollectiveCall call = plan.call();
    return intake.submit(
        call,
        call.sizeBytes(plan.rank(), size),
        List.of(new Task(plan, inputAddress, outputAddress)),
        stream);
  }

  private void abandon() {
    device.taint();
    if (declared.has(Capabilities.Flag.ABORT)) {
      vendor.ifPresent(CclCommunicator::abort);
    }
  }

  /** Bytes handed to the vendor's library so far. */
  public long handedBytes() {
    return vendorEngine.map(VendorEngine::handedBytes).orElse(0L);
  }

  @Override
  public int work() {
    if (fate.isSealed()) {
      return 0;
    }
    if (current == null) {
      intake.next().ifPresent(this::take);
    }
    return current == null ? 0 : check.work() + takeForward(current);
  }

  private void take(Operation next) {
    current = next;
    if (!meetsOnArrival(next)) {
      check.begin(next.sequence(), call(next));
    }
  }

  private static CollectiveCall call(Operation operation) {
    return operation.tasks().get(0).plan().call();
  }

  private int takeForward(Operation operation) {
    if (!operation.hasBegun()) {
      if (!intake.isReached(operation)) {
        return 0;
      }
      operation.begin(timeout);
      if (meetsOnArrival(operation)) {
        check.begin(operation.sequence(), call(operation));
      }
    }
    boolean agreed = check.agreed(operation.sequence());
    if (run == null
        && (agreed || !declared.has(Capabilities.Flag.MISMATCH_IS_FATAL))
        && operation.touchBuffers()) {
      run = start(operation);
    }
    int moved = run == null || suspended.isPresent() ? 0 : run();
    if (agreed) {
      suspended.ifPresent(Executor::raise);
      if (run.isDone()) {
        vendor.flatMap(CclCommunicator::asyncError).ifPresent(Executor::raise);
        finish(operation);
        return moved + 1;
      }
    }
    checkHealth(operation, agreed);
    return moved;
  }

  /**
   * A barrier has nothing to move: the vote is where the ranks meet, so none votes before its
   * stream is there.
   */
  private static boolean meetsOnArrival(Operation operation) {
    return call(operation).collective() == Collective.BARRIER;
  }

  /**
   * What fails before all calls are known to agree may only suffer from a mismatch, its own or that
   * of a peer which has hung up already: the vote decides, and names both calls.
   */
  private int run() {
    try {
      return run.work();
    } catch (TomboloException failed) {
      suspended = Optional.of(failed);
      return 1;
    }
  }

  private static void raise(TomboloException failed) {
    throw failed;
  }

  private ProgramRun start(Operation operation) {
    Task task = operation.tasks().get(0);
    return new ProgramRun(new Program(task.plan()), task.bind(stage, scratch), this::engine);
  }

  private Engine engine(Resource resource) {
    return switch (resource.kind()) {
      case VENDOR -> vendorEngine.orElseThrow();
      case COPY -> copies;
      case HOST -> host;
      case SEND, RECEIVE ->
          channels.computeIfAbsent(
              resource.peer(), peer -> new ChannelEngine(dataChannels.apply(peer)));
    };
  }

  private void finish(Operation operation) {
    run = null;
    current = null;
    intake.finish(operation);
  }

  private void checkHealth(Operation operation, boolean agreed) {
    boolean informed = agreed || check.seesWhoIsMissing();
    if (operation.isOverdue(informed ? Duration.ZERO : COURTESY)) {
      suspended.ifPresent(Executor::raise);
      throw new DeadlineExceededException(
          "not done in time: " + (agreed ? "held up by " + run.heldUpBy() : check.waitingFor()));
    }
    if (agreed && rounds++ % ROUNDS_PER_VENDOR_CHECK == 0) {
      vendor.flatMap(CclCommunicator::asyncError).ifPresent(Executor::raise);
    }
  }

  @Override
  public boolean isBusy() {
    return intake.isBusy();
  }

  @Override
  public void fail(Throwable cause) {
    Operation operation = current;
    TomboloException error =
        cause instanceof TomboloException known
            ? known
            : new AbortedException("the agent failed: " + cause, cause);
    fate.fail(operation == null ? error : error.during(operation.describe()));
  }

  /**
   * Closes the channels and gives memory and streams back. After a failure, a device or vendor
   * library may be stuck in what we own: then that is left behind rather than waited for.
   */
  @Override
  public void close() {
    abortIfRunning();
    check.close();
    channels.values().forEach(engine -> engine.channel().close());
    if (!fate.isSealed()) {
      vendorEngine.ifPresent(VendorEngine::close);
      copies.close();
      stage.close();
      scratch.close();
      intake.close();
      vendor.ifPresent(CclCommunicator::close);
    }
  }

  private void abortIfRunning() {
    if (isBusy()) {
      fate.fail(new AbortedException("the communicator was closed with operations under way"));
    }
  }
}
