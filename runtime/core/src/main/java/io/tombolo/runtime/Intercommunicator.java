// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import io.tombolo.topology.Clustering;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A connection of two jobs, which share nothing else: no launcher, no store, no world. {@link
 * Communicator#accept} on all ranks of one side and {@link Communicator#connect} on all ranks of
 * the other make it. Each rank exchanges messages with the ranks of the other side, by their
 * numbers there; data goes by the fabrics that lead from one cluster to another, whatever the two
 * ranks' vendors.
 *
 * <p>Buffers and streams are of the {@link #device} of the communicator that it was made from,
 * which it uses too; so it ends before that is closed. All the rest is its own: whatever happens to
 * the other side ends this connection, and nothing else here. What ends one side's job, or closes
 * it, ends the connection on both.
 *
 * <p>In errors the ranks of both sides are numbered together, those of the side that accepted
 * first: with 2 of them, "rank 3" is rank 1 of the side that connected. Thread-safe; messages from
 * one rank to another keep the order of the calls.
 */
public final class Intercommunicator implements AutoCloseable {
  private final Session job;
  private final Communicator both;
  private final int rank;
  private final int size;
  private final int remoteFirst;

  /**
   * What {@code both}, ranks of both sides, are for those of {@code job}, who accepted or did not.
   */
  Intercommunicator(Session job, Communicator both, boolean accepted, Encounter encounter) {
    this.job = job;
    this.both = both;
    this.size = accepted ? encounter.accepting() : encounter.connecting();
    this.rank = accepted ? both.rank() : both.rank() - encounter.accepting();
    this.remoteFirst = accepted ? encounter.accepting() : 0;
    job.connections().add(this);
  }

  /** This process's rank on its side: that in the communicator that this was made from. */
  public int rank() {
    return rank;
  }

  /** Number of ranks of this side. */
  public int size() {
    return size;
  }

  /** Number of ranks of the other side. */
  public int remoteSize() {
    return both.size() - size;
  }

  /** The vendors of the other side's devices, by its ranks. */
  public ImmutableList<String> remoteVendors() {
    Clustering clustering = both.clustering();
    return remoteRanks()
        .mapToObj(peer -> clustering.site(remoteFirst + peer).vendor())
        .collect(ImmutableList.toImmutableList());
  }

  /** This process's device: that of the communicator that this was made from. */
  public DeviceAdaptor device() {
    return both.device();
  }

  /**
   * Sends {@code buffer} to rank {@code peer} of the other side, which must receive as many bytes.
   * The stream that the call names starts it when it reaches it, and waits for its end; buffers
   * belong to the connection until the {@link Work} is done.
   *
   * @throws UsageException if the other side has no such rank, the buffer or the stream is another
   *     device's, or this is closed
   */
  public Work send(DeviceBuffer buffer, int peer, Stream stream) {
    return exchange(List.of(Message.send(buffer, peer)), CallOptions.STANDARD, stream);
  }

  /** Receives {@code buffer} from rank {@code peer} of the other side, as {@link #send} sends. */
  public Work receive(DeviceBuffer buffer, int peer, Stream stream) {
    return exchange(List.of(Message.receive(buffer, peer)), CallOptions.STANDARD, stream);
  }

  /**
   * Sends and receives several messages at once, as one operation: it has ended when all have.
   * Peers are ranks of the other side; each is named ({@link Message#ANY_RANK} is none).
   */
  public Work exchange(List<Message> messages, CallOptions options, Stream stream) {
    return both.exchange(messages.stream().map(this::ofBoth).toList(), options, stream);
  }

  private Message ofBoth(Message message) {
    if (message.peer() < 0 || message.peer() >= remoteSize()) {
      throw new UsageException(
          "rank %s: %s: the ranks of the other side are 0 … %s"
              .formatted(rank, message, remoteSize() - 1));
    }
    int peer = remoteFirst + message.peer();
    return new Message(message.way(), message.buffer(), peer, message.tag());
  }

  /** How data reaches each rank of the other side, and why: {@code shm (shared): same host}. */
  public ImmutableSortedMap<Integer, String> routes() {
    ImmutableSortedMap.Builder<Integer, String> routes = ImmutableSortedMap.naturalOrder();
    remoteRanks().forEach(peer -> routes.put(peer, both.routes().get(remoteFirst + peer)));
    return routes.buildOrThrow();
  }

  private IntStream remoteRanks() {
    return IntStream.range(0, remoteSize());
  }

  /** What this process has moved so far over this connection. */
  public Traffic traffic() {
    return both.traffic();
  }

  /** How long any wait may take, unless a call says otherwise. */
  public Duration timeout() {
    return both.timeout();
  }

  /** The failure that ended this connection, if one did. */
  public Optional<TomboloException> failure() {
    return both.failure();
  }

  /** Gives up all messages under way, and with them the connection, on both sides. */
  public void abort() {
    both.abort();
  }

  /** The job is left: the other side is told that nothing more comes. */
  void cut() {
    if (failure().isEmpty()) {
      abort();
    }
    close();
  }

  /**
   * Ends the connection, as {@link Communicator#close}: rank 0 of the side that accepted hosts the
   * store of both, and waits until all ranks of both sides have called this, or for the {@link
   * #timeout}. Messages under way are aborted first. After a failure nobody waits. A second time is
   * harmless.
   */
  @Override
  public void close() {
    if (job.connections().remove(this)) {
      both.close();
    }
  }
}
