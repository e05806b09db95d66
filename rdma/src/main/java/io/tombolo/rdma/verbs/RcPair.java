// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.base.CloseStack;
import io.tombolo.rdma.staged.SlotHeader;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The queue pair of a reliable connection, with its completion queue and the batches that carry its
 * requests. Used by one thread at a time.
 */
final class RcPair implements AutoCloseable {
  /** What has happened. */
  enum Kind {
    /** A slot of ours is in the peer's memory. */
    WRITTEN,
    /** The peer knows how many slots we have released. */
    TOLD,
    /** A slot of the peer's is here; its sequence, as far as an immediate holds it. */
    ARRIVED,
    /**
     * The peer's grant for a slot is here; the slot's sequence, as far as an immediate holds it.
     */
    GRANTED,
    /** A window of ours for a slot is open, or the peer knows its grant. */
    GRANTING,
    /** A window of ours for a slot is closed. */
    CLOSED
  }

  /** Told of each completion; {@code value} is the slot, or what arrived. */
  interface Completions {
    void on(Kind kind, int value);
  }

  /** As many completions are taken at once; who gets fewer got all. */
  static final int BATCH = 64;

  /** Names of requests. */
  private static final int SLOT = 0;

  private static final int COUNT = 1;
  private static final int ARRIVAL = 2;
  private static final int GRANT = 3;
  private static final int CLOSE = 4;

  /** Of a request that nobody is told of: it is done when the next one of the same slot is. */
  private static final int PAYLOAD = 5;

  private static final int REQUEST_BITS = 8;

  /** An immediate with this bit is a grant's; its other bits are of the slot's sequence. */
  private static final int GRANT_BIT = 1 << 31;

  private static final int MAX_PSN = 0xffffff;

  private final NicPort nic;
  private final RcMemory memory;
  private final CompletionEvents events;
  private final CompletionQueue queue;
  private final QueuePair pair;
  private final SendRequests sends;
  private final ReceiveRequests receives;
  private final WorkCompletions completions;
  private final int psn = ThreadLocalRandom.current().nextInt(MAX_PSN + 1);
  private final int slots;
  private final RcFailure failure;
  private PairCard peer;
  private boolean stopped;

  RcPair(NicPort nic, RcMemory memory, int slots) {
    this.nic = nic;
    this.memory = memory;
    this.slots = slots;
    // every slot's payload and header, all its grants' requests, and one count of released slots
    int sendDepth = (2 + Grants.REQUESTS) * slots + 1;
    int receiveDepth = 2 * slots;
    try (CloseStack stack = new CloseStack()) {
      sends = stack.opened(new SendRequests(sendDepth));
      receives = stack.opened(new ReceiveRequests(receiveDepth));
      completions = stack.opened(new WorkCompletions(BATCH));
      events = stack.opened(nic.device().events());
      queue = stack.opened(nic.device().completionQueue(sendDepth + receiveDepth, events));
      PairQueues queues =
          new PairQueues(queue, queue, Optional.empty(), sendDepth, receiveDepth, Long.BYTES);
      pair = stack.opened(nic.queuePair(PairType.RC, queues));
      pair.initialise(nic, Access.REMOTE_WRITE);
      stack.keep();
    }
    failure = new RcFailure(nic, pair.number());
  }

  int number() {
    return pair.number();
  }

  /** What the peer has to know. */
  PairCard card() {
    return new PairCard(
        nic.card(),
        ImmutableIntArray.of(pair.number()),
        psn,
        memory.remoteKey(),
        memory.ringAddress(),
        memory.cellAddress(),
        true,
        false,
        0);
  }

  /**
   * Connects to {@code peersEnd}, and is then ready for its writes; whether that is done. If the
   * kernel cannot {@linkplain Resolution resolve} its address now, the next call tries again.
   */
  boolean tryConnect(PairCard peersEnd) {
    if (peer == null) {
      peer = peersEnd;
      expectArrivals();
    }
    int mtu = Math.min(nic.card().mtu(), peer.port().mtu());
    return pair.tryConnect(
        nic.routeTo(peer.port(), 0), new PairOptions(mtu, peer.pairs().get(0), peer.psn(), psn));
  }

  private void expectArrivals() {
    for (int i = 0; i < 2 * slots; i++) {
      expectArrival(); // of every slot, and of every grant
    }
    receives.postTo(pair);
  }

  /** An arrival says all in its immediate: it needs an entry, and no memory. */
  private void expectArrival() {
    receives.add(ARRIVAL, 0, 0, 0);
  }

  /** Prepares the write of {@code sizeBytes} of slot {@code sequence}. */
  void write(long sequence, int sizeBytes) {
    sends
        .add(
            SendRequests.WRITE_WITH_IMMEDIATE,
            SLOT,
            memory.slotAddress(sequence),
            sizeBytes,
            memory.localKey())
        .to(peer.ringAddress() + memory.slotOffset(sequence), peer.remoteKey())
        .immediate((int) sequence & ~GRANT_BIT)
        .with(SendRequests.SIGNALLED);
  }

  /** Whether {@code value} is what arrives with slot {@code sequence}. */
  static boolean isArrivalOf(long sequence, int value) {
    return value == ((int) sequence & ~GRANT_BIT);
  }

  /**
   * Prepares the write of a slot's payload from local memory to where the peer wants it; the slot's
   * own write follows it, and arrives after it.
   */
  void place(long from, int localKey, int sizeBytes, long to, int remoteKey) {
    sends.add(SendRequests.WRITE, PAYLOAD, from, sizeBytes, localKey).to(to, remoteKey);
  }

  /** The same to the peer's ring, from where the peer will copy it. */
  void place(long from, int localKey, int sizeBytes, long sequence) {
    long header = peer.ringAddress() + memory.slotOffset(sequence);
    place(from, localKey, sizeBytes, header + SlotHeader.SIZE_BYTES, peer.remoteKey());
  }

  /** Whether the peer reads grants. */
  boolean peerTakesGrants() {
    return peer.takesGrants();
  }

  /**
   * Prepares the write of the grant for {@code sequence}, which is laid out for its {@code slot}.
   * The NIC reads it later: by then the slot's next one may be laid out, so the immediate says
   * which one has come.
   */
  void grant(int slot, long sequence) {
    sends
        .add(
            SendRequests.WRITE_WITH_IMMEDIATE,
            named(GRANT, slot),
            memory.ourGrants().address(slot),
            GrantCells.SIZE_BYTES,
            memory.localKey())
        .to(RcMemory.grantAddress(peer.cellAddress(), slot), peer.remoteKey())
        .immediate((int) sequence | GRANT_BIT)
        .with(SendRequests.SIGNALLED);
  }

  /**
   * Opens {@code window} on part of {@code region}, before what is prepared and posted later; its
   * key.
   */
  int open(MemoryWindow window, MemoryRegion region, long address, int sizeBytes, int slot) {
    return window.bind(pair, region, address, sizeBytes, named(GRANT, slot));
  }

  /** Closes {@code window}. */
  void close(MemoryWindow window, MemoryRegion region, int slot) {
    window.bind(pair, region, region.remoteAddress(), 0, named(CLOSE, slot));
  }

  private static long named(int request, int slot) {
    return request | (long) slot << REQUEST_BITS;
  }

  /** Prepares the write of the count of released slots. */
  void tell(long released) {
    sends
        .add(SendRequests.WRITE, COUNT, memory.countAt(released), Long.BYTES, memory.localKey())
        .to(peer.cellAddress(), peer.remoteKey())
        .with(SendRequests.SIGNALLED)
        .with(pair.inlineBytes() >= Long.BYTES ? SendRequests.INLINE : 0);
  }

  /** Posts what was prepared, in one call. */
  void flush() {
    if (sends.count() > 0) {
      pair.post(sends);
    }
  }

  /** What is known of why the pair broke, if it did. */
  RcFailure failure() {
    return failure;
  }

  /**
   * Takes completions; how many. A failed one is an error that names its status, unless it was
   * flushed: then another one may say more.
   */
  int poll(Completions told) throws IOException {
    int found = queue.poll(completions);
    for (int i = 0; i < found; i++) {
      int status = completions.status(i);
      if (status == WorkCompletions.SUCCESS) {
        report(completions.id(i), completions.immediate(i), told);
      } else if (status == WorkCompletions.FLUSHED) {
        failure.onFlushed(text(i));
      } else {
        throw error(i);
      }
    }
    if (!receives.isEmpty()) {
      receives.postTo(pair);
    }
    return found;
  }

  private void report(long id, int immediate, Completions told) {
    int slot = (int) (id >>> REQUEST_BITS);
    switch ((int) id & ((1 << REQUEST_BITS) - 1)) {
      case SLOT -> told.on(Kind.WRITTEN, 0);
      case COUNT -> told.on(Kind.TOLD, 0);
      case GRANT -> told.on(Kind.GRANTING, slot);
      case CLOSE -> told.on(Kind.CLOSED, slot);
      default -> {
        expectArrival();
        boolean isGrant = (immediate & GRANT_BIT) != 0;
        told.on(isGrant ? Kind.GRANTED : Kind.ARRIVED, immediate & ~GRANT_BIT);
      }
    }
  }

  /** Stops the NIC: it touches no memory for this pair any more. */
  void abort() {
    if (!stopped) {
      pair.abort();
      stopped = true;
    }
  }

  private String text(int index) {
    int status = completions.status(index);
    return "a request of queue pair "
        + pair.number()
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

  private IOException error(int index) {
    int status = completions.status(index);
    String what = text(index);
    nic.events().progress(); // the device may have more to say of it
    nic.events().check(what);
    if (status == WorkCompletions.NO_ANSWER) {
      return new IOException(what + "; " + NoAnswer.ofRepeats(peer.port()));
    }
    if (!WorkCompletions.isOfPeer(status)) { // of what is, irdma also says that the pair broke
      nic.events().checkPair(pair.number(), what + "; ");
    }
    return new IOException(
        what + nic.events().failureOf(pair.number()).map(why -> "; " + why).orElse(""));
  }

  @Override
  public void close() {
    pair.close();
    stopped = true;
    queue.close();
    events.close();
    completions.close();
    receives.close();
    sends.close();
  }
}
