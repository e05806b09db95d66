package io.tombolo.rdma.verbs;

import com.google.common.primitives.ImmutableIntArray;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The queue pair of a reliable connection, with its completion queue and the batches that carry its
 * requests.
 */
final class RcPair implements AutoCloseable {
  /** What has happened. */
  enum Kind {
    /** A slot of ours is in the peer's memory. */
    WRITTEN,
    /** The peer knows how many slots we have released. */
    TOLD,
    /** A slot of the peer's is here. */
    ARRIVED
  }

  /** Told of each completion; {@code value} is the immediate of an arrival. */
  interface Completions {
    void on(Kind kind, int value);
  }

  /** Names of requests. */
  private static final int SLOT = 0;

  private static final int COUNT = 1;
  private static final int ARRIVAL = 2;

  private static final int MAX_PSN = 0xffffff;
  private static final int BATCH = 64;

  private final Nic nic;
  private final RcMemory memory;
  private final CompletionEvents events;
  private final CompletionQueue queue;
  private final QueuePair pair;
  private final SendRequests sends;
  private final ReceiveRequests receives;
  private final WorkCompletions completions = new WorkCompletions(BATCH);
  private final int psn = ThreadLocalRandom.current().nextInt(MAX_PSN + 1);
  private final int slots;
  private PairCard peer;

  RcPair(Nic nic, RcMemory memory, int slots) {
    this.nic = nic;
    this.memory = memory;
    this.slots = slots;
    int sendDepth = slots + 1; // every slot, and one count of released slots
    sends = new SendRequests(sendDepth);
    receives = new ReceiveRequests(slots);
    events = nic.device().events();
    queue = nic.device().completionQueue(sendDepth + slots, events);
    pair =
        nic.domain()
            .queuePair(
                PairType.RC,
                new PairQueues(queue, queue, Optional.empty(), sendDepth, slots, Long.BYTES));
    pair.initialise(nic.port(), Access.REMOTE_WRITE);
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
        0);
  }

  /** Connects to {@code peersEnd}, and is then ready for its writes. */
  void connect(PairCard peersEnd) {
    peer = peersEnd;
    for (int i = 0; i < slots; i++) {
      expectArrival();
    }
    receives.postTo(pair);
    int mtu = Math.min(nic.card().mtu(), peer.port().mtu());
    pair.connect(
        nic.routeTo(peer.port(), 0), new PairOptions(mtu, peer.pairs().get(0), peer.psn(), psn));
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
        .immediate((int) sequence)
        .with(SendRequests.SIGNALLED);
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

  /** Takes completions; how many. A failed one is an error that names its status. */
  int poll(Completions told) throws IOException {
    int found = queue.poll(completions);
    for (int i = 0; i < found; i++) {
      if (completions.status(i) != WorkCompletions.SUCCESS) {
        throw failure(i);
      }
      report((int) completions.id(i), completions.immediate(i), told);
    }
    if (!receives.isEmpty()) {
      receives.postTo(pair);
    }
    return found;
  }

  private void report(int request, int immediate, Completions told) {
    switch (request) {
      case SLOT -> told.on(Kind.WRITTEN, 0);
      case COUNT -> told.on(Kind.TOLD, 0);
      default -> {
        expectArrival();
        told.on(Kind.ARRIVED, immediate);
      }
    }
  }

  private IOException failure(int index) {
    int status = completions.status(index);
    nic.events().progress(); // the port may have more to say of it
    return new IOException(
        "a request of queue pair "
            + pair.number()
            + " on "
            + nic
            + " failed: "
            + queue.statusText(status)
            + " (raw code "
            + status
            + ", vendor's code "
            + completions.vendorCode(index)
            + ")"
            + nic.events().portNote());
  }

  @Override
  public void close() {
    pair.close();
    nic.events().forget(pair.number());
    queue.close();
    events.close();
    completions.close();
    receives.close();
    sends.close();
  }
}
