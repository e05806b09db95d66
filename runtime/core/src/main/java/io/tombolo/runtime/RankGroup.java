// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.bootstrap.CommonMemory;
import io.tombolo.runtime.bootstrap.JobFailure;
import io.tombolo.runtime.bootstrap.Meetings;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.message.Messenger;
import io.tombolo.runtime.exec.run.Executor;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.recorder.FlightFile;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.Clustering;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Some or all ranks of a job with all they need to work together: an agreed context, the vendor's
 * communicator of this rank's cluster, channels, and an executor. What a {@link Communicator} is
 * inside.
 */
final class RankGroup {
  private static final Logger LOG = LoggerFactory.getLogger(RankGroup.class);

  /** Everyone reads everyone's vote: beyond this a tree is better. */
  private static final int MAX_BOARD_RANKS = 16;

  private final Session session;
  private final Members members;
  private final long id;
  private final GroupKeys keys;
  private final PlanContext context;
  private final Meetings meetings;
  private final Agreements agreements;
  private final GroupChannels channels;
  private final GroupLibraries libraries;
  private final FailureState failureState = new FailureState();
  private final Farewell farewell;
  private Map<Integer, Channel> control = ImmutableMap.of();
  private Optional<FlightFile> flight = Optional.empty();
  private Executor executor;
  private Messenger messenger;

  /** Whether a NIC may still use memory of channels that are closed. */
  private volatile boolean isHeld;

  private final AtomicBoolean closed = new AtomicBoolean();
  private final Set<RankGroup> children = ConcurrentHashMap.newKeySet();
  private volatile Optional<RankGroup> parent = Optional.empty();

  /** The group called {@code id}, whose members have yet to {@link #meet}. */
  RankGroup(Session session, Members members, long id) {
    this.session = session;
    this.members = members;
    this.id = id;
    this.keys = new GroupKeys(members, id, session.store(), session.groupFailures().enter(id));
    this.context = contextOf(session, members);
    this.meetings = new Meetings(keys.place().within("meetings"), members.self(), members.size());
    this.agreements = new Agreements(session, members, id);
    this.channels = new GroupChannels(session.wiring(), session.equipment(), members, id);
    this.libraries =
        new GroupLibraries(
            session.equipment(),
            context,
            members,
            keys.place(),
            () -> session.groupFailures().toldOf(id));
    this.farewell = new Farewell(session, this);
  }

  /**
   * Brings the members together; all of them call this, and it blocks until they have. Whoever it
   * fails for {@linkplain #giveUp gives up}.
   *
   * @param coming when the last of them must have come; a part of a job then has the {@linkplain
   *     Session#joinLimit time for joining} to become ready
   * @param onMeeting is run when all have come, and before any of them returns
   */
  void meet(Deadline coming, Runnable onMeeting) {
    keys.agreeContext(context.facts(), coming);
    onMeeting.run();
    Deadline deadline = id == 0 ? coming : Deadline.after(session.joinLimit());
    libraries.join(deadline);
    control =
        ChannelOpening.of(
            session.agent(),
            Executor.controlPeers(members.self(), members.size()),
            rank -> channels.openControl(rank, deadline),
            deadline,
            () -> session.groupFailures().whyOver(id));
    startDuties(shareBoard(deadline));
    keys.agreeReady(deadline);
  }

  /** Gives back what the group holds here, whose members have not come together. */
  void giveUp(TomboloException cause) {
    try {
      DoAll.of(() -> release(cause), this::clear);
    } catch (TomboloException e) {
      LOG.debug("rank {} leaves something of a group behind: {}", session.rank(), e.getMessage());
    }
  }

  /**
   * As the other, but for its keys. Nothing is under way, and nobody has called the libraries: so
   * nothing is left behind, as it would be after a failure amid calls.
   */
  void release(TomboloException cause) {
    flight.ifPresent(file -> file.failed(cause));
    DoAll.of(libraries::abort, this::giveBackUnmet);
  }

  private void giveBackUnmet() {
    if (executor != null) {
      session.leaving().stop(this);
      session.libraries().closeDown(this);
    } else {
      session.runOnAgent(() -> DoAll.each(control.values(), Channel::close));
    }
  }

  private static PlanContext contextOf(Session session, Members members) {
    return JobContext.of(
        members.jobRanks().stream().mapToObj(session.ranks()::get).toList(),
        session.environment().settings(),
        session.calibration());
  }

  /** On one host the ranks read each other's votes, which is quicker than messages. */
  private Optional<ByteBuffer> shareBoard(Deadline deadline) {
    boolean oneHost =
        IntStream.range(0, members.size())
                .mapToObj(rank -> context.clustering().site(rank).hostId())
                .distinct()
                .count()
            == 1;
    return oneHost && members.size() > 1 && members.size() <= MAX_BOARD_RANKS
        ? CommonMemory.share(
            keys.place(),
            members.self(),
            members.size(),
            Executor.boardBytes(members.size()),
            deadline)
        : Optional.empty();
  }

  private void startDuties(Optional<ByteBuffer> board) {
    flight = session.recorder().open(members.self(), members.size(), id);
    flight.ifPresent(file -> failureState.onFailure(file::failed));
    Messenger messages =
        new Messenger(
            new Messenger.Parts(
                members.self(),
                session.equipment().device(),
                channels::openMessages,
                session.tools().streams(),
                session.tools().windowCopies(),
                session.tools().doorbells(),
                session.environment().timeout(),
                session.agent(),
                flight.map(FlightFile::messages).orElseGet(() -> FlightRing.off(id))),
            failureState);
    try {
      executor =
          new Executor(
              new Executor.Parts(
                  members.self(),
                  members.size(),
                  session.equipment().device(),
                  libraries.vendor(),
                  libraries.flat(),
                  session.equipment().reductions(),
                  session.reducers(),
                  session.equipment().ccl().capabilities(),
                  cluster().size(),
                  rank -> channels.openData(rank, Deadline.after(session.environment().timeout())),
                  control,
                  board,
                  session.tools().streams(),
                  session.tools().windowCopies(),
                  session.tools().doorbells(),
                  session.environment().timeout(),
                  session.agent(),
                  flight.map(FlightFile::collectives).orElseGet(() -> FlightRing.off(id)),
                  session.votesFirst(),
                  session.keepsCallers()),
              failureState);
    } catch (RuntimeException e) {
      messages.close();
      throw e;
    }
    messenger = messages;
    failureState.onFailure(this::tellOthers); // who see an abort are to know soon whose it is
    failureState.onFailure(cause -> executor.awaitAborts());
    failureState.onLoss(seen -> new LossInquiry(session, id, members).begin(this, seen));
    executor.onPeerGone(this::judge);
    messenger.onPeerGone(this::judge);
    session.agent().add(executor);
    session.agent().add(messenger);
  }

  private void judge(TomboloException gone) {
    new LossInquiry(session, id, members).judge(this, gone);
  }

  private void tellOthers(TomboloException cause) {
    keys.place().endWaits(JobFailure.of(members.self(), cause).text());
    children.forEach(child -> child.failureState.fail(cause));
    if (id == 0) {
      session.failures().tellOthers(cause);
    } else {
      session.groupFailures().tell(this, cause);
    }
  }

  /**
   * Others tell that this group, or the job, has failed. What it gives must be run, as in {@link
   * FailureState#begin}.
   */
  Runnable hear(JobFailure failure) {
    return failureState.begin(session.failures().toException(failure));
  }

  /** {@code child} was split off this group, and fails with it. */
  void adopt(RankGroup child) {
    child.parent = Optional.of(this);
    children.add(child);
    failureState.failure().ifPresent(child.failureState::fail);
  }

  /** {@code child} is closed: what was split off it fails with this group from now on. */
  void disown(RankGroup child) {
    if (children.remove(child)) {
      child.children.forEach(this::adopt);
    }
  }

  /** What this group was split off, if that has failed. */
  Optional<RankGroup> failedParent() {
    return parent.filter(group -> group.failureState.hasFailed());
  }

  /** What names this group in the job. */
  long id() {
    return id;
  }

  private Cluster cluster() {
    return context.clustering().clusterOf(members.self());
  }

  Members members() {
    return members;
  }

  /** How the members reach each other. */
  GroupChannels channels() {
    return channels;
  }

  /** The vendors' libraries that bring them together. */
  GroupLibraries libraries() {
    return libraries;
  }

  PlanContext context() {
    return context;
  }

  Executor executor() {
    return executor;
  }

  Messenger messenger() {
    return messenger;
  }

  /** How this group ends when something fails. */
  FailureState failureState() {
    return failureState;
  }

  /** Something failed that is not the fault of one operation. */
  void fail(Throwable cause) {
    executor.fail(cause);
  }

  /** Why calls block, if they do. */
  Optional<String> hostOrder() {
    return session.tools().streams().hostOrder();
  }

  /** {@link #routes}, and after each of them why calls block, if they do. */
  ImmutableMap<Integer, String> routesAndOrder() {
    String order = hostOrder().map(why -> "; calls in the host's order: " + why).orElse("");
    return ImmutableMap.copyOf(Maps.transformValues(routes(), route -> route + order));
  }

  /** How data reaches each rank of another cluster, and why. */
  ImmutableMap<Integer, String> routes() {
    TreeMap<Integer, String> routes = new TreeMap<>();
    Clustering clustering = context.clustering();
    for (int peer = 0; peer < members.size(); peer++) {
      if (clustering.clusterOf(peer).index() != cluster().index()) {
        routes.put(peer, channels.route(peer));
      }
    }
    return ImmutableMap.copyOf(routes);
  }

  /** Where the members meet through the store. */
  Meetings meetings() {
    return meetings;
  }

  /** What the members agree on, even after a failure. */
  Agreements agreements() {
    return agreements;
  }

  /** Bytes copied between this rank's device and the stages of this group's messages. */
  long stagedBytes() {
    return executor.stagedBytes() + messenger.stagedBytes();
  }

  /** Whether calls or messages are under way. Thread-safe. */
  boolean isBusy() {
    return executor.hasCalls() || messenger.isBusy();
  }

  /** From now on calls are refused; false if they were already. */
  boolean shut() {
    return closed.compareAndSet(false, true);
  }

  boolean isShut() {
    return closed.get();
  }

  /** How this rank leaves in order. */
  Farewell farewell() {
    return farewell;
  }

  /** Removes this rank's keys. */
  void clear() {
    session.groupFailures().silence(id);
    keys.clear(session.failures().hasJobFailed());
  }

  /** This rank's keys in the group's place in the store. */
  GroupKeys keys() {
    return keys;
  }

  /** Takes nothing forward any more; on the agent's thread, or after its end. */
  void stop() {
    session.agent().remove(executor);
    session.agent().remove(messenger);
    try {
      DoAll.of(messenger::stop, executor::stop);
    } catch (TomboloException e) {
      LOG.warn(
          "rank {} leaves behind what a communicator holds: {}", session.rank(), e.getMessage());
      isHeld = true;
    }
  }

  /**
   * Gives back what the group held, once it has {@linkplain #stop stopped}. That may wait for all
   * work of the device, of other groups too, which the agent takes forward: so not on its thread.
   * Memory that a NIC may still use stays as it is.
   */
  void close() {
    DoAll.of(this::giveBack, () -> flight.ifPresent(FlightFile::close));
  }

  private void giveBack() {
    if (isHeld) {
      executor.leave(); // the others may wait for this rank in their libraries
    } else {
      DoAll.of(messenger::close, executor::close);
    }
  }

  /** As {@link Executor#awaitLibraries}. */
  void awaitLibraries(Deadline patience) {
    executor.awaitLibraries(patience);
  }

  /** As {@link Executor#haveLibrariesEnded}. */
  boolean haveLibrariesEnded() {
    return executor.haveLibrariesEnded();
  }
}
