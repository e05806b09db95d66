// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Multiset;
import com.google.common.collect.TreeMultiset;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.Heartbeat;
import io.tombolo.runtime.bootstrap.JobFailure;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.JoinTime;
import io.tombolo.runtime.bootstrap.Leftovers;
import io.tombolo.runtime.bootstrap.Presence;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.Rendezvous;
import io.tombolo.runtime.bootstrap.StoreHost;
import io.tombolo.runtime.consensus.AcceptorHost;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.equipment.JoinLimit;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.engine.Reducers;
import io.tombolo.runtime.exec.memory.SlotSettling;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.measure.Calibrations;
import io.tombolo.runtime.recorder.FlightRecorder;
import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.detect.Detection;
import io.tombolo.topology.detect.LiveFiles;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one process holds while it is in a job: opened step by step by {@link #join}, closed in
 * reverse order.
 */
final class Session implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  private static final String REDUCERS = "reducers";
  private static final int MAX_REDUCERS = 64;

  /**
   * How long who leaves waits for others that have not. Those that leave, too, do so within moments
   * of each other as a rule, and then their libraries end together. Others may be busy for as long
   * as they like, or leave groups in another order: so it is long enough only for the last
   * acknowledgements, of messages that have arrived.
   */
  private static final Duration PARTING = Duration.ofSeconds(1);

  /** How long who leaves waits for libraries that wait for other ranks even so. */
  private static final Duration LIBRARIES = Duration.ofSeconds(2);

  private final JobEnvironment environment;
  private final MeetingPlace place;
  private final Function<JobEnvironment, Equipment> equipping;
  private final CloseStack stack = new CloseStack();
  private final List<RankGroup> groups = new CopyOnWriteArrayList<>();
  private final GroupFailures groupFailures = new GroupFailures(this);
  private final Set<Intercommunicator> connections = ConcurrentHashMap.newKeySet();
  private volatile Optional<JobFailure> told = Optional.empty();
  private Store job;
  private JobRound round;
  private OwnKeys store;
  private Equipment equipment;
  private Optional<AcceptorHost> acceptor = Optional.empty();
  private OwnStreams streams;
  private WindowCopies windowCopies;
  private SlotSettling slotSettling;
  private Doorbells doorbells;
  private volatile ImmutableList<RankDescriptor> ranks = ImmutableList.of();
  private Calibration calibration;
  private Reducers reducers;
  private Duration joinLimit;
  private Agent agent;
  private Heartbeat heartbeat;
  private Wiring wiring;
  private FlightRecorder recorder;

  /** Those that are closed, but for a library that waited for other ranks for too long. */
  private final Set<RankGroup> lingering = ConcurrentHashMap.newKeySet();

  /** The ends of groups that threads are closing now, each other than the whole. */
  private final Set<CountDownLatch> endings = ConcurrentHashMap.newKeySet();

  private volatile boolean isClosed;
  private volatile boolean areGroupsClosed;

  /** Whether nobody waits for this rank any more: it only closes what it has. */
  private volatile boolean hasLeft;

  private Session(
      JobEnvironment environment,
      MeetingPlace place,
      Function<JobEnvironment, Equipment> equipping) {
    this.environment = environment;
    this.place = place;
    this.equipping = equipping;
  }

  /** As the other, in the store that {@code environment} names. */
  static Session join(JobEnvironment environment) {
    return join(environment, MeetingPlace.of(environment));
  }

  /**
   * Joins the job; on failure everything opened so far is closed, and the others are told.
   *
   * @param place where its ranks meet
   */
  static Session join(JobEnvironment environment, MeetingPlace place) {
    return join(environment, place, Equipment::open);
  }

  /**
   * As the other.
   *
   * @param equipping opens what this process brings in
   */
  static Session join(
      JobEnvironment environment,
      MeetingPlace place,
      Function<JobEnvironment, Equipment> equipping) {
    Session session = new Session(environment, place, equipping);
    try {
      session.open();
      return session;
    } catch (RuntimeException e) {
      RuntimeException cause = session.whyJoinFailed(e);
      session.tellOthers(cause);
      session.stack.close();
      throw cause;
    }
  }

  private void open() {
    long begunNs = System.nanoTime();
    place.host().ifPresent(stack::opened);
    job = stack.opened(place.stores().get());
    // Before this rank counts as there: to connect to a store that has become silent takes long.
    Store watched = stack.opened(place.stores().get());
    round = JobRound.enter(job, rank(), environment.deadline());
    store = new OwnKeys(round.in(job), Leftovers.listOf(rank()));
    store.own(JobRound.claimOf(rank()));
    StoreHost storeHost = new StoreHost(place.storeRank(), environment.liveness());
    stack.opened(
        FailureWatch.start(
            round.in(watched), storeHost, this::stop, groupFailures::onTold, this::lost));
    String host = Detection.hostName(LiveFiles.ofThisHost());
    heartbeat = stack.opened(heartbeat(host));
    heartbeat.expect(place.comers());
    heartbeat.start(e -> lost(JobFailure.of(storeHost.whyLost(String.valueOf(e.getMessage())))));
    stack.opened(this::leaveStore);
    if (rank() == 0) {
      Presence.announce(store, environment.size());
    }
    JoinTime time = JoinTime.begin(store, rank(), JoinLimit.of(environment));
    equipment = stack.opened(equipping.apply(environment));
    if (AcceptorHost.isHost(rank(), environment.size())) {
      acceptor =
          Optional.of(
              stack.opened(AcceptorHost.start(equipment.bindAddress(), environment.token())));
      stack.opened(StoreBypass.listen(this, acceptor.get()));
    }
    streams =
        stack.opened(
            new OwnStreams(equipment.device(), equipment.reductions().device(), holdsAnyway()));
    warnOfFewQueues();
    windowCopies = stack.opened(new WindowCopies(equipment.device(), streams.windows()));
    slotSettling =
        new SlotSettling(equipment.slotPins(), () -> groups.stream().anyMatch(RankGroup::isBusy));
    if (!equipment.direct().isNone()) {
      windowCopies.prepare();
    }
    doorbells = new Doorbells(equipment.device());
    Rendezvous.Met met =
        Rendezvous.exchange(
            store,
            equipment.descriptor(acceptor.map(AcceptorHost::address)),
            environment.size(),
            time);
    heartbeat.allHaveCome();
    ranks = met.ranks();
    Deadline deadline = met.deadline();
    joinLimit = Duration.ofNanos(deadline.budgetNs());
    calibration = Calibrations.agreed(store, environment, ranks, deadline);
    reducers = stack.opened(new Reducers(reducerThreads()));
    stack.opened(this::closeGroups);
    stack.opened(() -> DoAll.each(groups, RankGroup::stop));
    agent =
        stack.opened(
            new Agent(coreShare().isOneEach(), reducers::isInUsersFunction, this::bindForGood));
    wiring = new Wiring(rank(), equipment, ranks);
    wiring.onFailure(cause -> groups.forEach(group -> group.fail(cause)));
    agent.add(wiring);
    recorder = new FlightRecorder(environment, round, store, host);
    Optional<Supplier<Store>> ended =
        place.before().filter(before -> Leftovers.isOver(before, rank()));
    RankGroup all = met(deadline);
    groups.add(all);
    told.ifPresent(all::hear); // who told us so meanwhile did not find this group
    Presence.publish(store, rank(), host, all.routes());
    Leftovers.remove(job, round, rank());
    store.publish();
    ended.ifPresent(before -> Leftovers.removeGeneration(before, rank()));
    LOG.info(
        "rank {} of {} is in after {} ms{}",
        rank(),
        environment.size(),
        NANOSECONDS.toMillis(System.nanoTime() - begunNs),
        told(all.routes()));
  }

  private Heartbeat heartbeat(String host) {
    return new Heartbeat(
        store,
        rank(),
        environment.size(),
        environment.liveness(),
        host,
        () -> groups.stream().mapToLong(group -> group.executor().activity().operations()).sum());
  }

  /** Where no stream is held, none that waits for a call is in anybody's way. */
  private void warnOfFewQueues() {
    equipment
        .missedQueues()
        .filter(missed -> streams.hostOrder().isEmpty())
        .flatMap(missed -> missed.warning(equipment.device()))
        .ifPresent(LOG::warn);
  }

  /** How many ranks of other clusters are reached in which way. */
  private static String told(Map<Integer, String> routes) {
    Multiset<String> ways = TreeMultiset.create(routes.values());
    return ways.entrySet().stream()
        .map(way -> "; " + way.getCount() + " by " + way.getElement())
        .collect(Collectors.joining());
  }

  private CoreShare coreShare() {
    return CoreShare.of(ranks, rank(), Runtime.getRuntime().availableProcessors());
  }

  /** The setting {@code reducers}; by itself, what the cores of this host leave to each rank. */
  private int reducerThreads() {
    int threads = environment.number(REDUCERS, coreShare().reducerThreads());
    if (threads > MAX_REDUCERS) {
      throw new UsageException(
          "%s is %s; it must be at most %s"
              .formatted(JobEnvironment.variableOf(REDUCERS), threads, MAX_REDUCERS));
    }
    return threads;
  }

  /**
   * Brings some ranks of {@code parent} together; all of them call this, and it blocks. If it fails
   * here, it fails on all of them, and the parent goes on.
   *
   * @param deadline when the last of them must have called this
   * @param onMeeting is run when all have come, and before any of them returns
   */
  RankGroup open(
      RankGroup parent, Members members, long id, Deadline deadline, Runnable onMeeting) {
    RankGroup group = groupFailures.opened(members, id, deadline, onMeeting);
    groups.add(group);
    parent.adopt(group);
    groupFailures.of(group.id()).or(this::whyOver).ifPresent(group.failureState()::fail);
    store.publish();
    return group;
  }

  /** Gives a group of fewer than all ranks back; the others go on. Thread-safe. */
  void close(RankGroup group) {
    CountDownLatch ending = new CountDownLatch(1);
    endings.add(ending); // and then look: one of the two threads sees the other
    try {
      if (!isClosed) { // else it goes with the rest
        leave(group);
      }
    } finally {
      ending.countDown();
      endings.remove(ending);
    }
  }

  /** A library, for one, may refuse to close. */
  private void leave(RankGroup group) {
    DoAll.of(
        () -> leaveInOrder(group),
        () -> stop(group),
        () -> closeDown(group),
        () -> tidy(group::clear),
        () -> groupFailures.leave(group.id()));
  }

  private void leaveInOrder(RankGroup group) {
    boolean unused = group.leave(parting());
    groups.remove(group);
    groups.forEach(each -> each.disown(group));
  }

  /** Frees what {@code group} held, once it has stopped; its libraries may linger. */
  void closeDown(RankGroup group) {
    try {
      DoAll.of(group::close, () -> group.awaitLibraries(Deadline.after(LIBRARIES)));
    } finally {
      lingering.add(group);
      lingering.removeIf(RankGroup::haveLibrariesEnded); // of this one, or an earlier one by now
    }
  }

  private Deadline parting() {
    Duration timeout = environment.timeout();
    return Deadline.after(timeout.compareTo(PARTING) < 0 ? timeout : PARTING);
  }

  /**
   * A group that the agent, stuck in somebody's call, cannot stop keeps what it holds. Who closes
   * it waits for the agent though it has been interrupted, as for the rest.
   */
  void stop(RankGroup group) {
    try {
      runOnAgent(group::stop);
    } catch (TomboloException e) {
      LOG.warn("rank {} leaves behind what a communicator holds: {}", rank(), e.getMessage());
      group.failureState().fail(e);
    }
  }

  /** As {@link Agent#run}, also on a thread that was interrupted before, and stays so. */
  void runOnAgent(Runnable task) {
    boolean interrupted = Thread.interrupted();
    try {
      agent.run(task);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The job has failed elsewhere: ends what is under way here, waits at the store included. */
  void stop(JobFailure failure) {
    String why = toException(failure).getMessage();
    GroupFailures.hear(
        this::groups,
        failure,
        () -> {
          told = Optional.of(failure);
          store.endWaits(why);
          groupFailures.endWaits(why);
        });
  }

  /**
   * This rank has lost the store: perhaps it alone, and then the others do not know. Once it has
   * left it needs none, and whose process hosts it may have left, too.
   */
  private void lost(JobFailure failure) {
    if (told.isEmpty() && !hasLeft) {
      StoreBypass.tell(this, failure.toldBy(rank()));
      stop(failure);
    }
  }

  /** What this rank fails with because of {@code failure}. */
  TomboloException toException(JobFailure failure) {
    return failure.toException("rank " + rank() + " stops: ");
  }

  /** All ranks, come together; what the group holds when they do not goes with the rest. */
  private RankGroup met(Deadline deadline) {
    RankGroup all = new RankGroup(this, Members.all(environment.size(), rank()), 0);
    try {
      all.meet(deadline, () -> {});
      return all;
    } catch (RuntimeException e) {
      stack.opened(() -> all.release(GroupFailures.known(e)));
      throw e;
    }
  }

  /** A wait that was ended because the job has failed says less than what the others told. */
  private RuntimeException whyJoinFailed(RuntimeException met) {
    return met instanceof TomboloException gone && gone.isSecondHand() && store != null
        ? whyOver()
            .orElseGet(
                () -> new LossInquiry(this, 0, Members.all(environment.size(), rank())).why(gone))
        : met;
  }

  /**
   * The first failure anywhere is everyone's: whoever waits learns the cause rather than a
   * deadline.
   */
  void tellOthers(RuntimeException cause) {
    if (store == null || told.isPresent()) {
      return;
    }
    try {
      FailureWatch.report(store, rank(), cause);
    } catch (TomboloException e) {
      LOG.debug("rank {} could not report its failure: {}", rank(), e.getMessage());
    }
  }

  /** What the others told of the job's failure. */
  Optional<JobFailure> told() {
    return told;
  }

  /** Why the job has failed, as others told. */
  Optional<TomboloException> whyOver() {
    return told.map(this::toException);
  }

  /** What fails with one group of ranks. */
  GroupFailures groupFailures() {
    return groupFailures;
  }

  /** The groups that this rank is in, and hear of failures; none once they are closed. */
  List<RankGroup> groups() {
    return areGroupsClosed ? List.of() : groups;
  }

  /** Where the ranks meet, in all rounds. */
  MeetingPlace place() {
    return place;
  }

  /** The acceptor that this process hosts, if it does. */
  Optional<AcceptorHost> acceptor() {
    return acceptor;
  }

  /** A connection of its own to where the ranks meet in this round; whoever asks closes it. */
  Store openPlace() {
    return round.in(place.stores().get());
  }

  /** Where each rank that hosts an acceptor listens; none before the ranks have met. */
  ImmutableSortedMap<Integer, byte[]> acceptors() {
    ImmutableSortedMap.Builder<Integer, byte[]> acceptors = ImmutableSortedMap.naturalOrder();
    for (RankDescriptor each : ranks) {
      byte[] address = each.fabricAddresses().get(AcceptorHost.ADDRESS);
      if (address != null) {
        acceptors.put(each.rank(), address);
      }
    }
    return acceptors.buildOrThrow();
  }

  int rank() {
    return environment.rank();
  }

  JobEnvironment environment() {
    return environment;
  }

  /** How long ranks have to come together: as long as the slowest of their vendors needs. */
  Duration joinLimit() {
    return joinLimit;
  }

  /** Where the ranks meet, in this round of the job. */
  OwnKeys store() {
    return store;
  }

  Equipment equipment() {
    return equipment;
  }

  /** Our own streams on this process's device. */
  OwnStreams streams() {
    return streams;
  }

  /** What copies device memory for channels. */
  WindowCopies windowCopies() {
    return windowCopies;
  }

  /** The doorbells of this process's device. */
  Doorbells doorbells() {
    return doorbells;
  }

  /** This process's connections to other jobs, which use its device, and end before this. */
  Set<Intercommunicator> connections() {
    return connections;
  }

  /** What each rank of the job published. */
  ImmutableList<RankDescriptor> ranks() {
    return ranks;
  }

  /** What the paths between the ranks were measured to cost. */
  Calibration calibration() {
    return calibration;
  }

  /** The threads that combine elements. */
  Reducers reducers() {
    return reducers;
  }

  Agent agent() {
    return agent;
  }

  Wiring wiring() {
    return wiring;
  }

  /** Where operations are recorded, if they are. */
  FlightRecorder recorder() {
    return recorder;
  }

  /** What every call goes through before it holds a stream. */
  SlotSettling slotSettling() {
    return slotSettling;
  }

  /** The group of all ranks. */
  RankGroup everyone() {
    return groups.get(0);
  }

  /** The setting {@code hold}: callers' streams are held even where frees lock others out. */
  private boolean holdsAnyway() {
    String hold = environment.settings().getOrDefault("hold", "auto");
    return switch (hold) {
      case "always" -> true;
      case "auto" -> false;
      default ->
          throw new UsageException(
              JobEnvironment.variableOf("hold")
                  + " is '"
                  + hold
                  + "'; it must be 'auto' or 'always'");
    };
  }

  /**
   * Makes the device current on the calling thread, our own, so that no call there has to. One that
   * cannot is told so itself.
   */
  private void bindForGood() {
    try {
      long unused = equipment.device().bindThread();
    } catch (TomboloException e) {
      LOG.debug("rank {}: the agent's thread is not bound: {}", rank(), e.getMessage());
    }
  }

  /** The setting {@code vote_first}: 1 has the ranks agree before a call goes to its library. */
  boolean votesFirst() {
    return environment.number("vote_first", 0) != 0;
  }

  /** The setting {@code keep_callers}: 1 has libraries keep whoever wants to be back soon. */
  boolean keepsCallers() {
    return environment.number("keep_callers", 0) != 0;
  }

  /** The setting {@code verify_plans}: 1 has each new plan proven before it is used. */
  boolean verifiesPlans() {
    return environment.number("verify_plans", 0) != 0;
  }

  /** What this rank has moved so far, in all its groups. */
  Traffic traffic() {
    TreeMap<String, Long> byFabric = new TreeMap<>();
    List<GroupChannels> channels = groups.stream().map(RankGroup::channels).toList();
    long copied = channels.stream().mapToLong(each -> each.addTraffic(byFabric)).sum();
    long engine = channels.stream().mapToLong(GroupChannels::engineBytes).sum();
    long staged = groups.stream().mapToLong(RankGroup::stagedBytes).sum();
    long direct = channels.stream().mapToLong(GroupChannels::directBytes).sum();
    long handed = groups.stream().mapToLong(group -> group.executor().handedBytes()).sum();
    long cross = byFabric.values().stream().mapToLong(Long::longValue).sum();
    return new Traffic(
        handed, cross, copied, engine, staged, direct, ImmutableMap.copyOf(byFabric));
  }

  /** Leaves; a group that another thread closes meanwhile is closed before. */
  @Override
  public void close() {
    isClosed = true;
    endings.forEach(Uninterruptibles::awaitUninterruptibly);
    leave();
  }

  private void leave() {
    DoAll.of(
        () -> DoAll.each(connections, Intercommunicator::cut), this::leaveGroups, stack::close);
  }

  private void leaveGroups() {
    groups.forEach(RankGroup::shut);
    List<RankGroup> parts =
        groups.stream().filter(group -> group != everyone()).filter(RankGroup::sayLeaving).toList();
    boolean isSaid = everyone().sayLeaving();
    hasLeft = true; // once all have said so, whose process hosts the store waits for nobody
    if (isSaid && everyone().awaitOthers(parting())) {
      return;
    }
    if (isSaid) {
      everyone().leaveOthers();
    }
    parts.forEach(RankGroup::leaveOthers);
  }

  /** The others may still need the store, if this process hosts it. */
  private void leaveStore() {
    if (!isClosed) {
      return; // this rank has not come in
    }
    if (place.isHostedBy(rank())) {
      boolean unused = everyone().awaitOthers(environment.deadline());
    }
    tidy(this::clear);
  }

  /** Who comes next must see that this rank was in a round that has failed; else nothing stays. */
  private void clear() {
    boolean failed = hasFailed();
    if (!failed) {
      JobRound.end(round.in(job));
    }
    groups.forEach(RankGroup::clear);
    heartbeat.close(); // that may have taken a while, and others may stay
    String claim = JobRound.claimOf(rank());
    store.deleteIf(key -> !(failed && key.equals(claim)));
  }

  /** Whether the job has failed, as far as this rank knows. */
  boolean hasFailed() {
    return everyone().failureState().hasFailed() || told.isPresent();
  }

  /** A library that waits for others to leave does so on a device that stays open. */
  private void closeGroups() {
    areGroupsClosed = true;
    boolean haveEnded = false;
    try {
      DoAll.of(() -> DoAll.each(groups, RankGroup::close), this::awaitLibraries);
      haveEnded = lingering.stream().allMatch(RankGroup::haveLibrariesEnded);
    } finally {
      if (!haveEnded) {
        equipment.device().taint();
      }
    }
  }

  private void awaitLibraries() {
    Deadline patience = Deadline.after(LIBRARIES);
    lingering.addAll(groups);
    DoAll.each(lingering, group -> group.awaitLibraries(patience));
  }

  /** Removes keys from the store, which may be lost. */
  private void tidy(Runnable removal) {
    try {
      removal.run();
      store.publish();
    } catch (TomboloException e) {
      LOG.debug("rank {} leaves keys behind: {}", rank(), e.getMessage());
    }
  }
}
