// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.FabricTraits;
import io.tombolo.rdma.Instead;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Peers through a medium that may let sockets meet and carry nothing, as where a firewall stands
 * between: a channel that does not open through it goes by the connection by which its ends met, if
 * both ends may do so, and agree. If either has left it for good, no channel to that peer goes by
 * it any more.
 */
public final class TrialMedium implements Medium {
  private final Medium first;
  private final Medium sockets;
  private final int rank;
  private final Logger log;
  private final Map<Integer, Left> left = new ConcurrentHashMap<>();
  private final Warning ofShortTrials = new Warning();
  private final Warning ofPeersForGood = new Warning();

  private record Left(Instead instead, boolean forGood) {}

  /** What is said as a warning the first time, and at level debug afterwards. */
  private static final class Warning {
    private final AtomicBoolean isSaid = new AtomicBoolean();

    Level next() {
      return isSaid.getAndSet(true) ? Level.DEBUG : Level.WARN;
    }
  }

  /**
   * For the process of {@code rank}: through {@code first}, which this takes.
   *
   * @param sockets the medium by which the peers of {@code first} meet, and which it closes
   */
  public TrialMedium(Medium first, Medium sockets, int rank) {
    this(first, sockets, rank, LoggerFactory.getLogger(TrialMedium.class));
  }

  /** The same, which says in {@code log} what it leaves. */
  TrialMedium(Medium first, Medium sockets, int rank, Logger log) {
    this.first = first;
    this.sockets = sockets;
    this.rank = rank;
    this.log = log;
  }

  /** What is tried. */
  Medium first() {
    return first;
  }

  /** What is used where that does not open. */
  Medium sockets() {
    return sockets;
  }

  /**
   * Both ends of a channel to {@code peer} have left what is tried; {@code forGood} if this one
   * knows that it does not work. In a large job there may be as many such peers as ranks. A trial
   * that was short does not keep the first peer that is left for good from being warned of.
   */
  void onLeft(int peer, String why, boolean forGood) {
    Left now = new Left(new Instead(sockets.name(), sockets.reach(), why), forGood);
    left.merge(peer, now, (before, after) -> before.forGood ? before : after);
    Level level = (forGood ? ofPeersForGood : ofShortTrials).next();
    log.atLevel(level)
        .log(
            "rank {} reaches rank {} over {} {}: {} did not open: {}. To have an error instead,"
                + " name the fabrics that may be used, without {}, in TOMBOLO_FABRICS. What else"
                + " does not open so is logged at level debug",
            rank,
            peer,
            sockets.name(),
            forGood ? "as long as the job lasts" : "with this channel",
            name(),
            why,
            sockets.name());
  }

  /**
   * A channel to {@code peer} goes by what is tried: what others left was not for good. So what
   * {@link #instead} tells, and users see as their routes, is of the last channel that was opened,
   * though earlier ones may go on by the other way.
   */
  void onOpened(int peer) {
    left.computeIfPresent(peer, (unused, before) -> before.forGood ? before : null);
  }

  @Override
  public Optional<Instead> instead(int peer) {
    return Optional.ofNullable(left.get(peer)).map(Left::instead);
  }

  /** The same, if what is tried was left for good. */
  Optional<Instead> insteadForGood(int peer) {
    return Optional.ofNullable(left.get(peer)).filter(Left::forGood).map(Left::instead);
  }

  @Override
  public boolean mayBeLeft() {
    return true;
  }

  @Override
  public MessageLink messages(Joined joined, TransferQueue sends, TransferQueue receives) {
    return joined.trial().isPresent()
        ? new TrialLink(this, joined, joined.trial().get(), sends, receives)
        : first.messages(joined, sends, receives);
  }

  @Override
  public SlotLink link(Joined joined) {
    return first.link(joined);
  }

  @Override
  public String name() {
    return first.name();
  }

  @Override
  public FabricTraits traits() {
    return first.traits();
  }

  @Override
  public byte[] address() {
    return first.address();
  }

  @Override
  public boolean reaches(byte[] peerAddress) {
    return first.reaches(peerAddress);
  }

  @Override
  public String reach() {
    return first.reach();
  }

  @Override
  public boolean readsFrom(MemoryBlock block) {
    return first.readsFrom(block);
  }

  @Override
  public boolean writesInto(MemoryBlock block) {
    return first.writesInto(block);
  }

  @Override
  public Optional<PeerSocket> accept() throws IOException {
    return first.accept();
  }

  @Override
  public PeerSocket dial(byte[] peerAddress, Deadline deadline) {
    return first.dial(peerAddress, deadline);
  }

  @Override
  public int progress() {
    return first.progress();
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    first.awaits(wakeUps);
  }

  @Override
  public void close() {
    first.close();
  }
}
