// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Ticker;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.UnavailableException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** The reliable queue pair of one-sided reads, at either end. Used by one thread at a time. */
final class ReadPair implements AutoCloseable {
  /** Reads that may be posted and not finished. */
  static final int DEPTH = 8;

  /** Calls in which the kernel may try to find the peer. */
  private static final int MOST_CALLS = 3;

  private static final int MAX_PSN = 0xffffff;

  private final NicPort nic;
  private final CompletionEvents events;
  private final CompletionQueue queue;
  private final QueuePair pair;
  private final SendRequests sends;
  private final WorkCompletions completions;
  private final int psn = ThreadLocalRandom.current().nextInt(MAX_PSN + 1);

  /** A pair whose peer may do what {@code rights} say; {@link Access} bits. */
  ReadPair(NicPort nic, int rights) {
    this.nic = nic;
    synchronized (nic) {
      try (CloseStack stack = new CloseStack()) {
        sends = stack.opened(new SendRequests(DEPTH));
        completions = stack.opened(new WorkCompletions(DEPTH));
        events = stack.opened(nic.device().events());
        queue = stack.opened(nic.device().completionQueue(DEPTH + 1, events));
        PairQueues queues = new PairQueues(queue, queue, Optional.empty(), DEPTH, 1, 0);
        pair = stack.opened(nic.queuePair(PairType.RC, queues));
        pair.initialise(nic, rights);
        stack.keep();
      }
    }
  }

  /** What the peer has to know, beside {@code cells} of this side if it holds something. */
  ReadCard card(Optional<GenerationCells> cells) {
    return new ReadCard(
        nic.card(),
        pair.number(),
        psn,
        cells.map(GenerationCells::remoteKey).orElse(0),
        cells.map(GenerationCells::remoteAddress).orElse(0L));
  }

  /**
   * Connects it.
   *
   * @throws UnavailableException if the peer's port is on another network
   * @throws FabricException if the kernel does not {@linkplain Resolution resolve} its address
   */
  void connect(ReadCard peer) {
    if (!nic.card().mayReach(peer.port())) {
      throw new UnavailableException(
          nic + " does not reach " + peer.port() + " of the peer; move the bytes another way");
    }
    int mtu = Math.min(nic.card().mtu(), peer.port().mtu());
    AddressAttributes route = nic.routeTo(peer.port(), 0);
    PairOptions options = new PairOptions(mtu, peer.pair(), peer.psn(), psn);
    Resolution resolution = new Resolution(nic, Ticker.systemTicker());
    for (int call = 0; call < MOST_CALLS; call++) { // each takes a second where it fails
      if (resolution.call(() -> pair.tryConnect(route, options))) {
        return;
      }
    }
    throw new FabricException(
        "cannot connect to the peer: " + resolution.text(peer.port()), -VerbsErrors.ETIMEDOUT);
  }

  /** Prepares a read of {@code sizeBytes} of the peer's memory. */
  void read(long to, int localKey, int sizeBytes, long from, int remoteKey) {
    sends
        .add(SendRequests.READ, 0, to, sizeBytes, localKey)
        .to(from, remoteKey)
        .with(SendRequests.SIGNALLED);
  }

  /** Posts what was prepared. */
  void flush() {
    if (sends.count() > 0) {
      pair.post(sends);
    }
  }

  /** Takes what has finished, and waits up to {@code timeoutMs} if nothing has; how many. */
  int poll(int timeoutMs) {
    int found = queue.poll(completions);
    if (found == 0 && timeoutMs > 0) {
      queue.arm();
      found = queue.poll(completions);
      if (found == 0 && events.await(timeoutMs)) {
        events.take();
        found = queue.poll(completions);
      }
    }
    return found;
  }

  /** The status of finished read {@code index}. */
  int status(int index) {
    return completions.status(index);
  }

  String statusText(int status) {
    return queue.statusText(status);
  }

  /** Ends what is posted, and all that comes later. */
  void abort() {
    sends.clear();
    pair.abort();
  }

  @Override
  public void close() {
    synchronized (nic) {
      pair.close();
      queue.close();
      events.close();
    }
    completions.close();
    sends.close();
  }
}
