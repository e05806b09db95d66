// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.WakeUps;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.reliable.PauseWatch;
import io.tombolo.rdma.reliable.ReliableChannel;
import io.tombolo.rdma.reliable.SlabPool;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all unreliable channels of a process share: one completion queue, the receives, the packets
 * on their way out, and the slab that peers write into (UC) or the one queue pair of all (UD).
 */
final class LossyPort implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LossyPort.class);

  private static final int BATCH = 64;

  /** A device flushes what it has within microseconds. */
  private static final Duration DRAIN = Duration.ofMillis(20);

  private final NicPort nic;
  private final LossySizing sizing;
  private final CompletionEvents events;
  private final CompletionQueue queue;
  private final WorkCompletions completions;
  private final Outgoing outgoing;
  private final Incoming incoming;
  private final Optional<SharedReceives> shared;
  private final Optional<Slab> slab;
  private final Optional<SendLane> datagrams;
  private final LinkTable byPair = new LinkTable();
  private final LinkTable byConnection = new LinkTable();
  private final RestingPairs resting = new RestingPairs();
  private final PauseWatch watch = new PauseWatch();
  private String failure = "";
  private Optional<FabricException> refusal = Optional.empty();

  LossyPort(NicPort nic, LossySizing sizing, Registrations registrations, HostPinner pinner) {
    this.nic = nic;
    this.sizing = sizing;
    try (CloseStack stack = new CloseStack()) {
      completions = stack.opened(new WorkCompletions(BATCH));
      events = stack.opened(nic.device().events());
      LossyDepths depths = sizing.depths();
      queue = stack.opened(nic.device().completionQueue(depths.completions(), events));
      outgoing =
          stack.opened(
              new Outgoing(
                  new PacketPool(nic.domain(), depths.sends(), sizing.outgoingBytes(), pinner),
                  new Borrowed(registrations, depths.sends())));
      if (sizing.type() == PairType.UC) {
        shared = Optional.of(stack.opened(nic.domain().sharedReceives(depths.receives())));
        slab =
            Optional.of(
                stack.opened(
                    new Slab(nic, LossySizing.SLAB_SLOTS, sizing.slabSlotBytes(), pinner)));
        datagrams = Optional.empty();
      } else {
        shared = Optional.empty();
        slab = Optional.empty();
        datagrams = Optional.of(stack.opened(datagramLane()));
      }
      ReceiveQueue receives = shared.isPresent() ? shared.get() : datagrams.orElseThrow().pair();
      incoming =
          stack.opened(
              new Incoming(
                  nic,
                  receives,
                  sizing.type() == PairType.UD,
                  depths.receives(),
                  sizing.incomingBytes(),
                  pinner));
      stack.keep();
    }
  }

  private SendLane datagramLane() {
    try (CloseStack stack = new CloseStack()) {
      QueuePair pair = stack.opened(pair(sizing.depths().receives()));
      pair.initialise(nic, LossyLink.DATAGRAM_KEY);
      pair.activate(0);
      SendLane lane = lane(pair);
      stack.keep();
      return lane;
    }
  }

  private QueuePair pair(int receiveDepth) {
    return nic.queuePair(
        sizing.type(),
        new PairQueues(
            queue, queue, shared, sizing.depths().lane(), receiveDepth, LossySizing.INLINE_BYTES));
  }

  private SendLane lane(QueuePair pair) {
    return new SendLane(pair, PostedSlots.of(nic.card().link(), sizing.depths().lane()));
  }

  NicPort nic() {
    return nic;
  }

  LossySizing sizing() {
    return sizing;
  }

  Outgoing outgoing() {
    return outgoing;
  }

  /** Where ended queue pairs wait for late packets. */
  RestingPairs resting() {
    return resting;
  }

  /** Where remote writes land; null where there are none. */
  SlabPool slab() {
    return slab.map(Slab::pool).orElse(null);
  }

  /** The lane that all datagrams take; UD. */
  SendLane datagrams() {
    return datagrams.orElseThrow();
  }

  /** A new lane whose receives are the shared ones; UC. */
  SendLane lane() {
    try (CloseStack stack = new CloseStack()) {
      QueuePair pair = stack.opened(pair(0));
      pair.initialise(nic, Access.REMOTE_WRITE);
      SendLane lane = lane(pair);
      stack.keep();
      return lane;
    }
  }

  /** What completes on the pairs of {@code link} is for it from now on. */
  void serve(LossyLink link) {
    link.pairs().forEach(number -> byPair.put(number, link));
  }

  /** Packets of {@code connection} are for {@code link} from now on. */
  void listen(int connection, LossyLink link) {
    byConnection.put(connection, link);
  }

  /**
   * Takes what the aborted pairs of {@code link}, which are those of {@code end}, have left.
   * Destroyed or reset before, they would take with them receives that all links share, and that
   * nobody would post again.
   */
  void drain(LossyLink link, PeerEnd end, Ticker ticker) {
    byConnection.remove(link.connection());
    Deadline deadline = Deadline.after(DRAIN);
    do {
      progress(ticker.read());
    } while (!end.isIdle() && !deadline.isExpired());
  }

  /** Nothing is for {@code link} any more. */
  void forget(LossyLink link) {
    link.pairs().forEach(number -> byPair.remove(number));
    byConnection.remove(link.connection());
  }

  /** Why nothing works any more; empty while it does. */
  String failure() {
    return failure;
  }

  /** What the NIC has refused, if {@link #failure} says that it has: no peer is to blame. */
  Optional<FabricException> refusal() {
    return refusal;
  }

  /**
   * Takes what has come; how many completions that were. Whoever calls this for one link takes what
   * others wait for, too: what goes wrong with that is told to those.
   */
  int progress(long nowNs) {
    resting.progress(nowNs);
    long pauseNs = watch.runs(nowNs);
    if (pauseNs > 0) {
      byConnection.forEach(link -> link.onPause(pauseNs, nowNs));
    }
    int steps = 0;
    int found;
    do {
      found = poll();
      for (int i = 0; i < found; i++) {
        take(i, nowNs);
      }
      steps += found;
    } while (found == completions.capacity());
    postReceives();
    return steps;
  }

  private int poll() {
    try {
      return queue.poll(completions);
    } catch (TomboloException e) {
      onRefused(e);
      return 0;
    }
  }

  private void postReceives() {
    try {
      incoming.flush();
    } catch (TomboloException e) {
      onRefused(e);
    }
  }

  private void giveBack(int slot, LossyLink holder) {
    try {
      incoming.giveBack(slot, holder);
    } catch (TomboloException e) { // of a batch that was full
      onRefused(e);
    }
  }

  /**
   * As {@link io.tombolo.rdma.Fabric#awaits}. A completion that came before the queue was armed
   * raises no event: so it is looked for once more after that, and those that come later end the
   * rest.
   */
  void awaits(WakeUps wakeUps, long nowNs) {
    if (arm()) {
      if (progress(nowNs) > 0 || !outgoing.isEmpty()) {
        wakeUps.soon();
      }
      wakeUps.on(events.descriptor());
    }
    watch.rests();
  }

  /** Whether an event tells of what comes; if not, all links have failed. */
  private boolean arm() {
    try {
      if (failure.isEmpty()) {
        events.take();
        queue.arm();
      }
    } catch (TomboloException e) {
      onRefused(e);
    }
    return failure.isEmpty();
  }

  private void take(int index, long nowNs) {
    long id = completions.id(index);
    if (id >= SendLane.FIRST_ID) {
      sent(index, id);
    } else {
      received(index, (int) id, nowNs);
    }
  }

  private void sent(int index, long id) {
    int pair = completions.pair(index);
    LossyLink link = byPair.find(pair);
    if (link == null && datagrams.isEmpty()) {
      return; // of a pair that is closed
    }
    SendLane lane = link == null ? datagrams.orElseThrow() : link.lane(pair);
    int status = completions.status(index);
    if (status != WorkCompletions.SUCCESS) {
      lane.breakDown();
      onBroken(link, failureText("a request", index));
    }
    try {
      lane.onCompleted(id, outgoing.release());
    } catch (TomboloException e) {
      onBroken(link, e.getMessage());
    }
  }

  private String failureText(String what, int index) {
    int status = completions.status(index);
    return what
        + " of queue pair "
        + completions.pair(index)
        + " on "
        + nic
        + " failed: "
        + queue.statusText(status)
        + " (raw code "
        + status
        + ", vendor's code "
        + completions.vendorCode(index)
        + ")";
  }

  /** What breaks without a link of its own breaks for all. */
  private void onBroken(LossyLink link, String what) {
    if (link != null) {
      link.failure().onBroken(what);
    } else if (failure.isEmpty()) {
      failure = what;
    }
  }

  /** Of what all have in common the NIC refuses something; what it said first tells most. */
  private void onRefused(TomboloException why) {
    if (failure.isEmpty()) {
      failure = nic + ": " + why.getMessage();
      refusal = why instanceof FabricException own ? Optional.of(own) : Optional.empty();
    }
  }

  private void received(int index, int slot, long nowNs) {
    int status = completions.status(index);
    LossyLink link = byPair.find(completions.pair(index));
    if (status == WorkCompletions.SUCCESS) {
      giveBack(slot, deliver(index, slot, link, nowNs));
    } else if (datagrams.isPresent()) {
      onBroken(null, failureText("a receive", index)); // posted again, it would be flushed at once
    } else if (status == WorkCompletions.FLUSHED) {
      log.debug("a receive of {} was flushed", nic);
      giveBack(slot, null);
    } else {
      if (link != null) {
        link.onFencedWrite(); // a write under a key of the past has cost this receive
      }
      giveBack(slot, null);
    }
  }

  /** The link that may still be copying out of the slot; null if none does. */
  private LossyLink deliver(int index, int slot, LossyLink link, long nowNs) {
    if (completions.hasImmediate(index)) {
      if (link != null) {
        link.onImmediate(completions.immediate(index), nowNs);
      }
      return null;
    }
    ByteBuffer packet = incoming.packet(slot, completions.bytes(index));
    LossyLink addressed =
        ReliableChannel.isAddressed(packet)
            ? byConnection.find(ReliableChannel.connection(packet))
            : null;
    if (addressed == null) {
      return null;
    }
    if (incoming.isMarked(slot)) {
      addressed.onMark();
    }
    return addressed.onPacket(packet, incoming.address(slot), nowNs) ? addressed : null;
  }

  /** Posts the datagrams that were gathered; what goes wrong with that is told to all links. */
  void flush() {
    try {
      datagrams.ifPresent(SendLane::flush);
    } catch (TomboloException e) {
      onDatagramsRefused(e);
    }
  }

  /** The NIC takes no datagrams any more. */
  void onDatagramsRefused(TomboloException why) {
    datagrams.orElseThrow().breakDown();
    onRefused(why);
  }

  /** A device may copy into the slots here, or out of them, for good: they stay mapped. */
  void keepMapped() {
    outgoing.keepMapped();
    incoming.keepMapped();
    slab.ifPresent(Slab::keepMapped);
  }

  /**
   * Pairs that have not rested long enough outlive it, with what they need of the NIC, until that
   * ends. They take nothing more, so the memory of all goes at once.
   */
  @Override
  public void close() {
    if (resting.isEmpty()) {
      closeQueues();
    } else {
      nic.endLate(this::closeQueues);
    }
    slab.ifPresent(Slab::close);
    incoming.close();
    outgoing.close();
    completions.close();
  }

  private void closeQueues() {
    resting.close();
    datagrams.ifPresent(SendLane::close);
    shared.ifPresent(SharedReceives::close);
    queue.close();
    events.close();
  }
}
