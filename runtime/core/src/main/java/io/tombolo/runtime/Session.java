// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Multiset;
import com.google.common.collect.TreeMultiset;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.Interrupts;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.JoinTime;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.Rendezvous;
import io.tombolo.runtime.consensus.AcceptorHost;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.WarmUpTime;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.equipment.JoinLimit;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.engine.Reducers;
import io.tombolo.runtime.measure.Calibrations;
import io.tombolo.runtime.recorder.FlightRecorder;
import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.calibration.Calibration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one process holds while it is in a job: opened step by step by {@link #join}, closed in
 * reverse order. Groups ask it for what they share: the {@linkplain Enrolment store}, the {@link
 * Equipment} and the {@linkplain DeviceTools tools} on its device, the {@link Agent}, and the
 * {@link Wiring}. {@link JobFailures} ends it all; {@link Leaving} is how it ends in order.
 */
final class Session implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  private final JobEnvironment environment;
  private final MeetingPlace place;
  private final Function<JobEnvironment, Equipment> equipping;
  private final CloseStack stack = new CloseStack();
  private final OpenGroups openGroups = new OpenGroups();
  private final JobFailures failures = new JobFailures(this);
  private final GroupFailures groupFailures = new GroupFailures(this);
  private final Leaving leaving = new Leaving(this);
  private final LingeringLibraries libraries = new LingeringLibraries();
  private final Set<Intercommunicator> connections = ConcurrentHashMap.newKeySet();
  private Enrolment enrolment;
  private Equipment equipment;
  private Optional<AcceptorHost> acceptor = Optional.empty();
  private DeviceTools tools;
  private volatile ImmutableList<RankDescriptor> ranks = ImmutableList.of();
  private Duration joinLimit;
  private Calibration calibration;
  private Reducers reducers;
  private Agent agent;
  private WarmUp warmUp;
  private Wiring wiring;
  private FlightRecorder recorder;

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
      RuntimeException cause = session.giveUp(e);
      session.stack.close();
      throw cause;
    }
  }

  /** Why this rank cannot join, which the others hear, too, if it has come as far as the store. */
  private RuntimeException giveUp(RuntimeException met) {
    if (enrolment == null) {
      return met;
    }
    RuntimeException cause = failures.whyJoinFailed(met);
    failures.tellOthers(cause);
    return cause;
  }

  private void open() {
    long begunNs = System.nanoTime();
    enrolment = Enrolment.claim(this, stack);
    enrolment.begin(stack);
    JoinTime time = JoinTime.begin(store(), rank(), JoinLimit.of(environment));
    equip();
    warmUp(CoreShare.atLeast(environment.size(), cores()));
    Deadline deadline = exchangeDescriptors(time);
    startAgent();
    RankGroup all = comeTogether(deadline);
    String warmedUp = warmUp.await();
    LOG.info(
        "rank {} of {} is in after {} ms{}{}",
        rank(),
        environment.size(),
        NANOSECONDS.toMillis(System.nanoTime() - begunNs),
        countedWays(all.routesAndOrder()),
        warmedUp);
  }

  private void equip() {
    equipment = stack.opened(equipping.apply(environment));
    if (AcceptorHost.isHost(rank(), environment.size())) {
      acceptor =
          Optional.of(
              stack.opened(AcceptorHost.start(equipment.bindAddress(), environment.token())));
      stack.opened(StoreBypass.listen(this, acceptor.get()));
    }
    tools = DeviceTools.open(environment, equipment, openGroups, stack);
  }

  /** All learn who the others are, and what the paths between them cost; when they must be in. */
  private Deadline exchangeDescriptors(JoinTime time) {
    Rendezvous.Met met =
        Rendezvous.exchange(
            store(),
            equipment.descriptor(acceptor.map(AcceptorHost::address)),
            environment.size(),
            time);
    enrolment.allHaveCome();
    ranks = met.ranks();
    Deadline deadline = met.deadline();
    joinLimit = Duration.ofNanos(deadline.budgetNs());
    calibration = Calibrations.agreed(store(), environment, ranks, deadline);
    return deadline;
  }

  /** Begins to warm up, beside what follows, if there are {@code cores} for that. */
  private void warmUp(CoreShare cores) {
    warmUp =
        stack.opened(WarmUp.begin(WarmUpTime.of(environment), cores, !equipment.device().isHost()));
  }

  private static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** What takes the groups forward, which have stopped when they are closed. */
  private void startAgent() {
    CoreShare cores = CoreShare.of(ranks, rank(), cores());
    if (!warmUp.hasBegun()) {
      warmUp(cores);
    }
    warmUp.othersAreHere();
    reducers = stack.opened(new Reducers(cores.reducerThreads(environment)));
    stack.opened(this::closeGroups);
    stack.opened(() -> DoAll.each(openGroups.all(), RankGroup::stop));
    agent =
        stack.opened(new Agent(cores.forWaits(), reducers::isInUsersFunction, this::bindForGood));
    wiring = new Wiring(rank(), equipment, ranks);
    wiring.onFailure(openGroups::fail);
    agent.add(wiring);
    recorder = new FlightRecorder(environment, enrolment.round(), store(), enrolment.host());
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

  private RankGroup comeTogether(Deadline deadline) {
    Optional<Supplier<Store>> ended = enrolment.endedGeneration();
    RankGroup all = met(deadline);
    openGroups.add(all);
    // Who told us so meanwhile did not find this group.
    failures.told().ifPresent(failure -> all.hear(failure).run());
    enrolment.complete(all, ended);
    return all;
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

  /** How many ranks of other clusters are reached in which way. */
  private static String countedWays(Map<Integer, String> routes) {
    Multiset<String> ways = TreeMultiset.create(routes.values());
    return ways.entrySet().stream()
        .map(way -> "; " + way.getCount() + " by " + way.getElement())
        .collect(Collectors.joining());
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
    openGroups.add(group);
    parent.adopt(group);
    groupFailures.whyOver(group.id()).ifPresent(group.failureState()::fail);
    store().publish();
    return group;
  }

  /** What fails with the whole job. */
  JobFailures failures() {
    return failures;
  }

  /** What fails with one group of ranks. */
  GroupFailures groupFailures() {
    return groupFailures;
  }

  /** How this rank leaves its groups. */
  Leaving leaving() {
    return leaving;
  }

  /** What closes groups whose libraries may wait for other ranks. */
  LingeringLibraries libraries() {
    return libraries;
  }

  /** All groups that this rank is in, also while they close. */
  OpenGroups openGroups() {
    return openGroups;
  }

  /** The groups that this rank is in, and hear of failures; none once they are closed. */
  List<RankGroup> groups() {
    return openGroups.hearing();
  }

  /** The group of all ranks. */
  RankGroup everyone() {
    return openGroups.everyone();
  }

  /** Where the ranks meet, in all rounds. */
  MeetingPlace place() {
    return place;
  }

  /** This rank in the store where they meet. */
  Enrolment enrolment() {
    return enrolment;
  }

  /** Where the ranks meet, in this round of the job. */
  OwnKeys store() {
    return enrolment.store();
  }

  /** A connection of its own to where the ranks meet in this round; whoever asks closes it. */
  Store openPlace() {
    return enrolment.round().in(place.stores().get());
  }

  /** The acceptor that this process hosts, if it does. */
  Optional<AcceptorHost> acceptor() {
    return acceptor;
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

  Equipment equipment() {
    return equipment;
  }

  /** What all groups use on this process's device. */
  DeviceTools tools() {
    return tools;
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

  /** As {@link Agent#run}, also on a thread that was interrupted before, and stays so. */
  void runOnAgent(Runnable task) {
    Interrupts.aside(() -> agent.run(task));
  }

  Wiring wiring() {
    return wiring;
  }

  /** Where operations are recorded, if they are. */
  FlightRecorder recorder() {
    return recorder;
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

  /** Leaves; a group that another thread closes meanwhile is closed before. */
  @Override
  public void close() {
    leaving.begin();
    DoAll.of(
        () -> DoAll.each(connections, Intercommunicator::cut), leaving::leaveAll, stack::close);
  }

  private void closeGroups() {
    openGroups.endHearing();
    libraries.closeAll(openGroups.all(), equipment.device());
  }
}
