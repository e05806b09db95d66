// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableMap;
import com.google.common.net.HostAndPort;
import com.google.errorprone.annotations.CheckReturnValue;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Deadline;
import io.tombolo.base.Interrupts;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Activity;
import io.tombolo.runtime.work.BufferCalls;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import io.tombolo.topology.Clustering;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * All ranks of a job, or some that a {@link #split}, {@link #createGroup}, {@link #duplicate} or
 * {@link #merge} brings together, of whatever vendors, as one group.
 *
 * <p>Collective calls come from one thread at a time and in the same order on all ranks; they
 * neither block nor synchronise the device, but where the stream {@linkplain #isHostOrdered cannot
 * be held}: there they return when they have ended, unless all ranks use one library that can be
 * aborted and does the whole call, which then goes straight onto the stream. The stream that a call
 * names starts the operation when it reaches it, and waits for its end. Operations of one
 * communicator begin in the order of the calls, whatever their streams, and those on different
 * streams overlap as far as the vendor's library and the channels keep that order; those of two
 * communicators overlap wholly. Buffers are memory of this process's {@link #device}, and belong to
 * the communicator until the {@link Work} is done; {@link BufferCalls} says what each operation
 * does with them. Everything else here is thread-safe.
 *
 * <p>A call is in place where input and output share memory: for all_reduce, reduce, broadcast and
 * all_to_all the two addresses are equal; where one buffer holds all ranks' blocks, the other is
 * this rank's block in it. Any other overlap is a {@link UsageException}.
 */
public final class Communicator implements AutoCloseable {
  private static final String NO_TAG = "";

  private final Session session;
  private final RankGroup group;
  private final UseCheck uses;
  private final Dispatch dispatch;
  private final BufferCalls calls;
  private final Successors successors;
  private final AtomicInteger connections = new AtomicInteger();

  private Communicator(Session session, RankGroup group) {
    this.session = session;
    this.group = group;
    this.uses = new UseCheck(group, session.agent());
    this.dispatch = new Dispatch(session, group, uses);
    this.calls = new BufferCalls(rank(), size(), device());
    this.successors = new Successors(session, group);
  }

  /**
   * Joins the job that {@code environment} describes; blocks until all ranks came and agreed.
   *
   * @throws TomboloException naming the ranks that are missing, disagree or failed, within the
   *     environment's timeout
   */
  @CheckReturnValue
  public static Communicator join(JobEnvironment environment) {
    return join(environment, MeetingPlace.of(environment));
  }

  /** As the other, where {@code place} says. */
  static Communicator join(JobEnvironment environment, MeetingPlace place) {
    Session session = Session.join(environment, place);
    return new Communicator(session, session.everyone());
  }

  /** One of ranks of {@code job} and of another, with the device of {@code job}. */
  static Communicator beside(Session job, JobEnvironment environment, MeetingPlace place) {
    DeviceAdaptor device = job.equipment().device();
    Session session = Session.join(environment, place, mine -> Equipment.beside(device, mine));
    return new Communicator(session, session.everyone());
  }

  /**
   * Sets up a way into a job, from this process's environment: {@code
   * Communicator.builder().timeout(limit).join()}.
   */
  public static CommunicatorBuilder builder() {
    return new CommunicatorBuilder();
  }

  /**
   * Parts the ranks by {@code colour}: those of one colour get a communicator of their own, ranked
   * by {@code key} and, where that is equal, by their rank here. All ranks call this, and it blocks
   * until they have. The new communicator lives inside this one and fails with it; its own failure
   * ends it, and what is split off it, and nothing else as long as the processes live.
   *
   * @param colour any number; a negative one takes no part and gets nothing
   */
  @CheckReturnValue
  public Optional<Communicator> split(int colour, int key) {
    return split(colour, key, NO_TAG);
  }

  /**
   * As the other, among the splits called {@code tag}: those of one tag are made in the same order
   * on all ranks; those of different tags know nothing of each other, and may be made at once.
   */
  @CheckReturnValue
  public Optional<Communicator> split(int colour, int key, String tag) {
    uses.requireMayMeet();
    return Split.of(session, group, colour, key, tag).map(this::of);
  }

  /** {@link #createGroup(List, String)}, without a tag. */
  @CheckReturnValue
  public Communicator createGroup(List<Integer> ranks) {
    return createGroup(ranks, NO_TAG);
  }

  /**
   * Brings {@code ranks} of this communicator together, in this order, as one inside it; it fails
   * as those of a {@link #split} do. Only they call this, and it blocks until all of them have.
   * Groups of other ranks, or of another tag, may be made before, after and meanwhile, in any order
   * on each rank; those that are equal in both are made in the same order by all their ranks, one
   * after the other.
   *
   * @param tag tells groups of the same ranks apart that are made at once
   * @throws UsageException if {@code ranks} are not different ranks with this one among them
   * @throws io.tombolo.base.errors.DeadlineExceededException naming the job's ranks that did not
   *     come within the {@link #timeout}; who comes later learns it at once
   */
  @CheckReturnValue
  public Communicator createGroup(List<Integer> ranks, String tag) {
    uses.requireMayMeet();
    return of(
        Creation.of(session, group, List.copyOf(ranks), tag, session.environment().deadline()));
  }

  /** {@link #duplicate(String)}, without a tag. */
  @CheckReturnValue
  public Communicator duplicate() {
    return duplicate(NO_TAG);
  }

  /** {@link #createGroup(List, String)} of all ranks: the same ones, and nothing else in common. */
  @CheckReturnValue
  public Communicator duplicate(String tag) {
    return createGroup(IntStream.range(0, size()).boxed().toList(), tag);
  }

  /**
   * Brings the ranks of this communicator and of others of its job together, ranked as in the job.
   * All ranks of all of them call this, each on its own, and it blocks until {@code size} have. The
   * union is part of the job, but of none of them: it outlives them.
   *
   * @param size how many ranks the union has; whoever is in several counts once
   * @param tag the union's name; no other union of this job that is made meanwhile has it
   * @throws io.tombolo.base.errors.DeadlineExceededException naming those that came
   * @throws io.tombolo.base.errors.MismatchException if they are more than {@code size}
   */
  @CheckReturnValue
  public Communicator merge(int size, String tag) {
    uses.requireMayMeet();
    return of(Merge.of(session, group, size, tag, session.environment().deadline()));
  }

  /**
   * Goes on without the ranks that died: brings together those that have not, once this
   * communicator, of all ranks of its job, has {@linkplain #failure failed}. All that live call
   * this, and it blocks until they have, and have joined anew. Who is in is {@linkplain #agree
   * agreed on}, so that all that return have the same ranks, in their old order. If the job's store
   * is gone, one of them hosts the next.
   *
   * <p>The new communicator shares nothing with this one, which is still to be closed, before or
   * after. It has a {@link #device} of its own, and can be shrunk in turn.
   *
   * @param limit how long ranks are waited for that have not called this, and that no other sees
   *     are dead; longer than the ranks need to hear of the failure
   * @throws io.tombolo.base.errors.NoQuorumException on all ranks, if not more than half of them
   *     came
   * @throws io.tombolo.base.errors.DeadlineExceededException if the others go on without this rank,
   *     as it came too late
   * @throws TomboloException as {@link #join} does, if a survivor fails while they join: then the
   *     job must be started again
   */
  @CheckReturnValue
  public Communicator shrink(Duration limit) {
    uses.requireMayWait();
    return successors.shrink(limit);
  }

  /**
   * Agrees with all ranks that live, although some die meanwhile, and although this communicator
   * may have failed, or its job's store may be gone: all that return get the same. All ranks call
   * this equally often, and it blocks until each has come or is seen to be gone. It works without
   * devices and channels: some ranks (up to 15) host small stores for it, and more than half of
   * those must live.
   *
   * @param flags what this rank brings, for example one bit for each thing that went well
   * @param limit how long ranks are waited for that do not come, and are not seen to be dead
   * @throws io.tombolo.base.errors.NoQuorumException if not more than half of the ranks came, or of
   *     those stores answered
   * @throws io.tombolo.base.errors.DeadlineExceededException if the others agreed without this
   *     rank, as it came too late
   */
  public Agreed agree(long flags, Duration limit) {
    uses.requireMayWait();
    return group.agreements().next(flags, limit);
  }

  /**
   * Takes new processes in: brings all ranks of this communicator, of all ranks of its job, and
   * {@code newcomers} others together in a new one. All ranks call this, and as many processes
   * {@link CommunicatorBuilder#joinGrowing}, in any order; it blocks until they have, and all have
   * joined. The ranks keep their numbers, and the new ones follow.
   *
   * <p>The new communicator shares nothing with this one, which is still to be closed, before or
   * after. After deaths this comes behind {@link #shrink}: so those that died are replaced.
   *
   * @param limit how long processes are waited for that have not come
   * @throws io.tombolo.base.errors.DeadlineExceededException on all ranks, if too few came; this
   *     communicator goes on
   * @throws TomboloException as {@link #join} does, if one of them fails while they join; what this
   *     communicator has failed with, if it does while new processes are waited for
   */
  @CheckReturnValue
  public Communicator grow(int newcomers, Duration limit) {
    uses.requireMayMeet();
    return successors.grow(newcomers, limit);
  }

  /**
   * Where new processes ask to be taken in by {@link #grow}: what {@link
   * CommunicatorBuilder#store(String, int)} must say there. It is the job's store, or, if that is
   * gone and the ranks went on, the one of a rank in which they meet since. None if the ranks meet
   * in a store that the program {@linkplain
   * CommunicatorBuilder#store(io.tombolo.runtime.store.Store) has handed in}.
   */
  public Optional<HostAndPort> lobbyAddress() {
    uses.requireOpen();
    return session.place().address();
  }

  /**
   * Waits until another job {@linkplain #connect connects} to this one, and connects their ranks.
   * All ranks call this with the same arguments, in the same order with their other calls of this
   * and of connect, and it blocks until all of both sides have joined. A single process is a job of
   * one rank. Rank 0 listens at {@code address} as long as the connection lives; then, or after a
   * failure, the next one can be made there, with the same job or another.
   *
   * @param address one of rank 0's host that all ranks of both sides reach, and a port
   * @param token what both sides prove to each other; both jobs' own stay theirs
   * @param limit how long the other job is waited for; joining has its own time
   * @throws io.tombolo.base.errors.DeadlineExceededException if none came; this communicator goes
   *     on, as after all other errors
   * @throws io.tombolo.base.errors.UnavailableException on rank 0, if it cannot listen there; the
   *     others fail with its message
   * @throws UsageException if the address is not resolved, has no port, or stands for all
   * @throws TomboloException as {@link #join} does, if a rank of either side fails, or has other
   *     settings, while they join
   */
  @CheckReturnValue
  public Intercommunicator accept(InetSocketAddress address, JobToken token, Duration limit) {
    return connecting(address, token, limit).accept();
  }

  /**
   * The other side of {@link #accept}: connects this job to that which accepts at {@code address}.
   * It may begin to accept later; if it is in a connection with another job, the end of that is
   * waited for.
   *
   * @param limit how long that job is waited for; joining has its own time
   * @throws io.tombolo.base.errors.UnavailableException on rank 0, if nobody accepts there in time;
   *     the others fail with its message. This communicator goes on, as after all other errors
   * @throws io.tombolo.base.errors.DeadlineExceededException if that job stays in its connection
   * @throws io.tombolo.base.errors.MismatchException if it has another token
   * @throws TomboloException as {@link #accept}
   */
  @CheckReturnValue
  public Intercommunicator connect(InetSocketAddress address, JobToken token, Duration limit) {
    return connecting(address, token, limit).connect();
  }

  private JobConnecting connecting(InetSocketAddress address, JobToken token, Duration limit) {
    uses.requireMayMeet();
    return new JobConnecting(
        session, group, connections.getAndIncrement(), address, token, Deadline.bounded(limit));
  }

  private Communicator of(RankGroup members) {
    return new Communicator(session, members);
  }

  /** This process's rank in this communicator. */
  public int rank() {
    return group.members().self();
  }

  /** Number of ranks. */
  public int size() {
    return group.members().size();
  }

  /** Which ranks belong together, and why. */
  public Clustering clustering() {
    return group.context().clustering();
  }

  /** What all ranks agreed on when they joined. */
  public PlanContext context() {
    return group.context();
  }

  /** This process's device. */
  public DeviceAdaptor device() {
    return session.equipment().device();
  }

  /**
   * Device memory for buffers that this communicator's calls come back to. Where all ranks are of
   * one vendor whose library declares {@code REGISTERED_BUFFERS}, or the host library joins them
   * ({@link PlanContext#flat}), and their processes can map each other's memory, it is registered:
   * calls in which all ranks' buffers lie in such memory, from 4 KiB on, copy nothing on the way,
   * and take about half the time. Everywhere else it is as {@link DeviceAdaptor#allocate} gives it,
   * and everything works the same; so do calls in which only some ranks use it.
   *
   * <p>It is made among the collective calls: all ranks call this in the same order with them, for
   * as many bytes each as it likes, and it blocks until they have, and until what was called before
   * has ended. Closing it is each rank's own business, before or after the communicator; what other
   * ranks have mapped of it they give back with their next memory, or with the communicator.
   *
   * @throws TomboloException as collective calls do, if a rank does not come within the job's
   *     timeout, fails, or makes another call; the communicator has then failed
   */
  @CheckReturnValue
  public DeviceMemory allocateRegistered(long sizeBytes) {
    uses.requireMayMeet();
    return RegisteredMemory.of(session, group, dispatch, sizeBytes);
  }

  /** {@link BufferCalls#allReduce}, in place. */
  public Work allReduce(DeviceBuffer buffer, Reduction reduction, Stream stream) {
    return allReduce(buffer, buffer, reduction, stream);
  }

  /** {@link BufferCalls#allReduce}. */
  public Work allReduce(
      DeviceBuffer send, DeviceBuffer receive, Reduction reduction, Stream stream) {
    return submit(calls.allReduce(send, receive, reduction), stream);
  }

  /** {@link BufferCalls#reduce}. */
  public Work reduce(
      DeviceBuffer send, DeviceBuffer receive, Reduction reduction, int root, Stream stream) {
    return submit(calls.reduce(send, receive, reduction, root), stream);
  }

  /** {@link BufferCalls#scan}. */
  public Work scan(DeviceBuffer send, DeviceBuffer receive, Reduction reduction, Stream stream) {
    return submit(calls.scan(send, receive, reduction), stream);
  }

  /** {@link BufferCalls#exscan}. */
  public Work exscan(DeviceBuffer send, DeviceBuffer receive, Reduction reduction, Stream stream) {
    return submit(calls.exscan(send, receive, reduction), stream);
  }

  /** {@link BufferCalls#broadcast}, in place. */
  public Work broadcast(DeviceBuffer buffer, int root, Stream stream) {
    return broadcast(buffer, buffer, root, stream);
  }

  /** {@link BufferCalls#broadcast}. */
  public Work broadcast(DeviceBuffer send, DeviceBuffer receive, int root, Stream stream) {
    return submit(calls.broadcast(send, receive, root), stream);
  }

  /** {@link BufferCalls#allGather(DeviceBuffer, DeviceBuffer)}. */
  public Work allGather(DeviceBuffer send, DeviceBuffer receive, Stream stream) {
    return submit(calls.allGather(send, receive), stream);
  }

  /** {@link BufferCalls#allGather(DeviceBuffer, DeviceBuffer, Layout)}. */
  public Work allGather(DeviceBuffer send, DeviceBuffer receive, Layout blocks, Stream stream) {
    return submit(calls.allGather(send, receive, blocks), stream);
  }

  /** {@link BufferCalls#reduceScatter(DeviceBuffer, DeviceBuffer, Reduction)}. */
  public Work reduceScatter(
      DeviceBuffer send, DeviceBuffer receive, Reduction reduction, Stream stream) {
    return submit(calls.reduceScatter(send, receive, reduction), stream);
  }

  /** {@link BufferCalls#reduceScatter(DeviceBuffer, DeviceBuffer, Layout, Reduction)}. */
  public Work reduceScatter(
      DeviceBuffer send, DeviceBuffer receive, Layout blocks, Reduction reduction, Stream stream) {
    return submit(calls.reduceScatter(send, receive, blocks, reduction), stream);
  }

  /** {@link BufferCalls#gather(DeviceBuffer, DeviceBuffer, int)}. */
  public Work gather(DeviceBuffer send, DeviceBuffer receive, int root, Stream stream) {
    return submit(calls.gather(send, receive, root), stream);
  }

  /** {@link BufferCalls#gather(DeviceBuffer, DeviceBuffer, Layout, int)}. */
  public Work gather(
      DeviceBuffer send, DeviceBuffer receive, Layout blocks, int root, Stream stream) {
    return submit(calls.gather(send, receive, blocks, root), stream);
  }

  /** {@link BufferCalls#scatter(DeviceBuffer, DeviceBuffer, int)}. */
  public Work scatter(DeviceBuffer send, DeviceBuffer receive, int root, Stream stream) {
    return submit(calls.scatter(send, receive, root), stream);
  }

  /** {@link BufferCalls#scatter(DeviceBuffer, DeviceBuffer, Layout, int)}. */
  public Work scatter(
      DeviceBuffer send, DeviceBuffer receive, Layout blocks, int root, Stream stream) {
    return submit(calls.scatter(send, receive, blocks, root), stream);
  }

  /** {@link BufferCalls#allToAll(DeviceBuffer, DeviceBuffer)}. */
  public Work allToAll(DeviceBuffer send, DeviceBuffer receive, Stream stream) {
    return submit(calls.allToAll(send, receive), stream);
  }

  /** {@link BufferCalls#allToAll(DeviceBuffer, DeviceBuffer, Layout)}. */
  public Work allToAll(DeviceBuffer send, DeviceBuffer receive, Layout blocks, Stream stream) {
    return submit(calls.allToAll(send, receive, blocks), stream);
  }

  /** Lets no rank's stream go on before every rank's stream came. */
  public Work barrier(Stream stream) {
    return submit(PlacedCall.barrier(), stream);
  }

  /**
   * Sends {@code buffer} to {@code peer}, which must receive as many bytes: until it does, this may
   * wait, so that two ranks do not both send first and then receive on one stream. Only the two
   * take part. Messages wait neither for collectives nor for each other; those from one rank to
   * another keep the order of the calls.
   */
  public Work send(DeviceBuffer buffer, int peer, Stream stream) {
    return exchange(List.of(Message.send(buffer, peer)), stream);
  }

  /** Receives {@code buffer} from {@code peer}, which must send as many bytes. */
  public Work receive(DeviceBuffer buffer, int peer, Stream stream) {
    return exchange(List.of(Message.receive(buffer, peer)), stream);
  }

  /**
   * Sends and receives several messages at once, as one operation: it has ended when all have. A
   * message to this rank itself needs its receive in the same batch.
   */
  public Work exchange(List<Message> messages, Stream stream) {
    return exchange(messages, CallOptions.STANDARD, stream);
  }

  /** As the other, with {@code options}. */
  public Work exchange(List<Message> messages, CallOptions options, Stream stream) {
    return dispatch.exchange(messages, options, stream);
  }

  /** Makes calls on buffers for {@link #call} and {@link #group}; the other methods use it, too. */
  public BufferCalls calls() {
    return calls;
  }

  /** How long any wait may take, unless a call says otherwise. */
  public Duration timeout() {
    return session.environment().timeout();
  }

  /**
   * Makes several collective calls at once, as one operation: the ranks vote on it once, and it has
   * ended when all have. Small calls that differ only in their counts become one program, so they
   * cost the messages of one; the others go forward side by side. The calls are independent: none
   * reads what another writes. All ranks give the same calls in the same order.
   */
  public Work group(List<PlacedCall> calls, CallOptions options, Stream stream) {
    return dispatch.group(calls, options, stream);
  }

  /** Makes one collective call, with {@code options}. */
  public Work call(PlacedCall call, CallOptions options, Stream stream) {
    return dispatch.call(call, options, stream);
  }

  private Work submit(PlacedCall placed, Stream stream) {
    return dispatch.call(placed, CallOptions.STANDARD, stream);
  }

  /**
   * Blocks until all ranks have called this; it works without devices and channels, through the
   * store. All ranks call it equally often.
   *
   * @throws io.tombolo.base.errors.DeadlineExceededException on all ranks, naming all that did not
   *     come within {@code limit} of rank 0
   */
  public void meet(Duration limit) {
    uses.requireMayMeet();
    group.meetings().meet(Deadline.bounded(limit));
  }

  /** What this rank would run for {@code call}. */
  public Plan plan(CollectiveCall call) {
    return dispatch.plan(call);
  }

  /** What this process has moved so far, in all communicators of its job. */
  public Traffic traffic() {
    return Traffic.of(session.openGroups().all());
  }

  /** What this communicator's collectives have been so far. */
  public Activity activity() {
    return group.executor().activity();
  }

  /**
   * Whether calls on {@code stream} return only when they have ended, as it cannot be held until
   * then: streams of this device {@linkplain DeviceAdaptor#isHostOrdered cannot wait}, or this one
   * is in a hardware queue with one of the communicator's own. A stream that is met for the first
   * time is held for a moment.
   */
  public boolean isHostOrdered(Stream stream) {
    return group.executor().isHostOrdered(stream) || group.messenger().isHostOrdered(stream);
  }

  /**
   * How data reaches each rank of another cluster, and why: {@code shm (shared): same host}. Where
   * calls on this rank's streams, or on one of those seen so far, return only when they have ended,
   * this follows, with the reason: {@code ; calls in the host's order: …}.
   */
  public ImmutableMap<Integer, String> routes() {
    return group.routesAndOrder();
  }

  /**
   * Why calls on this rank's streams, or on one of those seen so far, return only when they have
   * ended, if they do; those that go straight onto their stream do not. {@link #routes} has no
   * place for it where all ranks are of one cluster.
   */
  public Optional<String> hostOrder() {
    return group.hostOrder();
  }

  /** Where this process combines elements, and why: {@code device (NVRTC 13.5)}. */
  public String reductions() {
    return session.equipment().reductions().text();
  }

  /**
   * Gives up all operations under way, and with them the communicator, and what was split off it,
   * on all ranks. Tells the store, which is given up if it says nothing for the liveness time.
   */
  public void abort() {
    uses.requireOpen();
    group
        .failureState()
        .abort(new AbortedException("rank " + rank() + " aborted the communicator"));
  }

  /** What this process holds while it is in the job; for tests. */
  Session session() {
    return session;
  }

  /** The failure that ended this communicator, if one did. */
  public Optional<TomboloException> failure() {
    return group.failureState().failure();
  }

  /**
   * Leaves: the job, and with it all communicators split off, or what a {@link #split} brought
   * together. Operations under way are aborted first. A second time is harmless. From then on
   * calls, and all else that does something, are {@link UsageException}s; facts can still be asked
   * for.
   *
   * <p>Each rank closes its communicators when it likes, and in any order. Ranks that close one
   * within a second leave together; who is first waits no longer for the others, and at most 2 s
   * for a library that waits for them. Only a rank whose process hosts the ranks' store waits until
   * all have left, up to the {@link #timeout}: without it they could not go on. What has been sent
   * to ranks that have not received it is theirs to receive all the same; calls on which all ranks
   * have agreed end there as well. Further collective calls there fail, with a {@link
   * io.tombolo.base.errors.PeerFailedException} that says who has closed it.
   *
   * <p>A thread that has been interrupted before waits as others do, and stays interrupted.
   */
  @Override
  public void close() {
    if (group.isShut()) {
      return;
    }
    session.agent().requireMayWait();
    if (!group.shut()) {
      return;
    }
    Interrupts.aside(
        group == session.everyone() ? session::close : () -> session.leaving().close(group));
  }
}
