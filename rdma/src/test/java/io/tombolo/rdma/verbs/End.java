// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;

import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** One queue pair with all that it needs, and its NIC's whole memory registered for its peer. */
final class End implements AutoCloseable {
  static final int SIZE_BYTES = 1 << 18;
  static final int DEPTH = 64;

  /** Room for the route header before a datagram's payload. */
  static final int ROUTE_BYTES = 40;

  /** What a request can carry in itself; the device may give more. */
  static final int INLINE_BYTES = 64;

  static final int KEY = 0x1234567;

  private static final int PSN = 0xfffff8; // wraps soon
  private static final Duration BUDGET = Duration.ofSeconds(60);

  /** A finished request. */
  record Done(long id, int status, int sizeBytes, int immediate) {}

  final NativeMemory memory = NativeMemory.allocate(SIZE_BYTES);
  final MemoryRegion region;
  final QueuePair pair;
  private final NicPort nic;
  private final PairType type;
  private final CompletionEvents events;
  private final CompletionQueue queue;
  private final Optional<SharedReceives> shared;
  private final SendRequests sends = new SendRequests(DEPTH);
  private final ReceiveRequests receives = new ReceiveRequests(DEPTH);
  private final WorkCompletions completions = new WorkCompletions(DEPTH);
  private final Deque<Done> done = new ArrayDeque<>();
  private Optional<PeerAddress> peersAddress = Optional.empty();
  private int peersNumber;
  private int peersKey;

  End(int device, PairType type, boolean sharesReceives) {
    this(Devices.open(device), type, sharesReceives);
  }

  /** On {@code nic}, which it takes. */
  End(NicPort nic, PairType type, boolean sharesReceives) {
    this(nic, type, sharesReceives, KEY);
  }

  /** The same; datagrams to it must show {@code key}. */
  End(NicPort nic, PairType type, boolean sharesReceives, int key) {
    this.type = type;
    this.nic = nic;
    region =
        nic.domain().register(memory, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.WINDOWS);
    events = nic.device().events();
    queue = nic.device().completionQueue(8 * DEPTH, events);
    shared = sharesReceives ? Optional.of(nic.domain().sharedReceives(DEPTH)) : Optional.empty();
    pair = newPair();
    pair.initialise(nic, type == PairType.UD ? key : Access.REMOTE_WRITE);
  }

  private QueuePair newPair() {
    return nic.queuePair(type, new PairQueues(queue, queue, shared, DEPTH, DEPTH, INLINE_BYTES));
  }

  /** The device notices what has happened to it. */
  void noticeFaults() {
    nic.device().port(nic.port());
  }

  /** The number that a new pair gets now. */
  int nextNumber() {
    try (QueuePair next = newPair()) {
      return next.number();
    }
  }

  /** Closes the pair; what the device then says of the next one, which gets its number. */
  Optional<String> failureOfNextPair() {
    int number = pair.number();
    pair.close();
    try (QueuePair next = newPair()) {
      assertEquals(next.number(), number);
      nic.events().progress();
      return nic.events().failureOf(number);
    }
  }

  /** Why the device says that the pair is broken, once it does. */
  String failure() {
    Deadline deadline = Deadline.after(BUDGET);
    while (nic.events().failureOf(pair.number()).isEmpty() && !deadline.isExpired()) {
      nic.events().progress();
    }
    return nic.events().failureOf(pair.number()).orElse("");
  }

  void connect(End peer) {
    AddressAttributes route = nic.routeTo(peer.nic.card(), 0);
    peersNumber = peer.pair.number();
    if (type == PairType.UD) {
      pair.activate(PSN);
      address(route, peersNumber, KEY);
    } else {
      pair.connect(route, new PairOptions(nic.card().mtu(), peersNumber, PSN, PSN));
    }
  }

  /** Datagrams go to the pair {@code number} of {@code port} from now on, and show {@code key}. */
  void address(PortCard port, int number, int key) {
    peersAddress.ifPresent(PeerAddress::close);
    address(nic.routeTo(port, 0), number, key);
  }

  private void address(AddressAttributes route, int number, int key) {
    peersAddress = nic.domain().peerAddress(route);
    peersNumber = number;
    peersKey = key;
  }

  MemoryRegion register(io.tombolo.base.MemoryExport export, long sizeBytes) {
    return nic.domain().register(export, sizeBytes, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  }

  MemoryWindow window() {
    return nic.domain().window();
  }

  /** Expects a message of up to {@code sizeBytes} at {@code offset}. */
  void receive(long id, int offset, int sizeBytes) {
    receives.add(id, memory.address() + offset, sizeBytes, region.localKey());
    receives.postTo(shared.<ReceiveQueue>map(queue -> queue).orElse(pair));
  }

  /** Writes the first {@code sizeBytes} of our memory, and tells the peer. */
  void write(long id, int sizeBytes, long toAddress, int toKey, int immediate) {
    sends
        .add(SendRequests.WRITE_WITH_IMMEDIATE, id, memory.address(), sizeBytes, region.localKey())
        .to(toAddress, toKey)
        .immediate(immediate)
        .with(SendRequests.SIGNALLED);
    pair.post(sends);
  }

  /** Sends the first {@code sizeBytes} of our memory, to the peer if it is a datagram. */
  void send(long id, int sizeBytes) {
    sends.add(SendRequests.SEND, id, memory.address(), sizeBytes, region.localKey());
    peersAddress.ifPresent(address -> sends.to(address, peersNumber, peersKey));
    sends.with(SendRequests.SIGNALLED);
    pair.post(sends);
  }

  /** The next finished request. */
  Done next() {
    Deadline deadline = Deadline.after(BUDGET);
    Optional<Done> found = poll();
    while (found.isEmpty()) {
      if (deadline.isExpired()) {
        throw new AssertionError(type + ": nothing finished within " + deadline);
      }
      queue.arm();
      found = poll();
      if (found.isEmpty()) {
        events.await(10);
        events.take();
      }
    }
    return found.get();
  }

  /** Takes what has finished, past {@link #next}; how many. */
  int poll(WorkCompletions into) {
    return queue.poll(into);
  }

  /** The next finished request, if there is one by now. */
  Optional<Done> poll() {
    if (done.isEmpty()) {
      queue.poll(completions);
      for (int i = 0; i < completions.count(); i++) {
        done.add(
            new Done(
                completions.id(i),
                completions.status(i),
                completions.bytes(i),
                completions.immediate(i)));
      }
    }
    return Optional.ofNullable(done.poll());
  }

  /** The next finished request, which is {@code id} and went well. */
  Done nextWell(long id) {
    Done next = next();
    assertEquals(queue.statusText(next.status()), queue.statusText(WorkCompletions.SUCCESS));
    assertEquals(next.id(), id);
    return next;
  }

  @Override
  public void close() {
    pair.close();
    peersAddress.ifPresent(PeerAddress::close);
    shared.ifPresent(SharedReceives::close);
    queue.close();
    events.close();
    region.close();
    nic.close();
    memory.close();
    sends.close();
    receives.close();
    completions.close();
  }
}
