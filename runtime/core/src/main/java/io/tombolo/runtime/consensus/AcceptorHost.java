// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The acceptor that this process hosts for its job: a store of its own, which asks for the job's
 * token. Survivors can meet in it as well, when the job's store is gone; so it stays as long as
 * anybody {@linkplain #keep keeps} it. Thread-safe.
 */
public final class AcceptorHost implements AutoCloseable {
  /** What names the address of a rank's acceptor among its addresses. */
  public static final String ADDRESS = "acceptor";

  /** Who has left a communicator still tidies up. */
  private static final Duration PARTING = Duration.ofSeconds(2);

  private final TcpStoreServer server;
  private int keepers = 1;
  private boolean wasKept;

  private AcceptorHost(TcpStoreServer server, boolean isMeetingPlace) {
    this.server = server;
    this.wasKept = isMeetingPlace;
  }

  /** Whether {@code rank} of a job of {@code size} is to host an acceptor. */
  public static boolean isHost(int rank, int size) {
    return Participants.acceptorsOf(size).contains(rank);
  }

  /** One that listens at {@code bind}, on any free port. */
  public static AcceptorHost start(InetAddress bind, JobToken token) {
    return new AcceptorHost(TcpStoreServer.start(new InetSocketAddress(bind, 0), token), false);
  }

  /**
   * A store at {@code address}, in which the ranks of two jobs meet.
   *
   * @throws io.tombolo.base.errors.UnavailableException if nobody can listen there
   */
  public static AcceptorHost meetingPlace(InetSocketAddress address, JobToken token) {
    return new AcceptorHost(TcpStoreServer.start(address, token), true);
  }

  /** A connection to the acceptor at {@code address}; whoever asks for it closes it. */
  public static Store connect(byte[] address, JobToken token, Deadline deadline) {
    return TcpStore.connect(parse(address), token, deadline);
  }

  static InetSocketAddress parse(byte[] address) {
    String text = new String(address, UTF_8);
    try {
      HostAndPort place = HostAndPort.fromString(text);
      return new InetSocketAddress(InetAddresses.forString(place.getHost()), place.getPort());
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new CorruptException("'" + text + "' is no address of an acceptor", e);
    }
  }

  /** The acceptor's {@code address}, for who is to find it. */
  public static HostAndPort place(byte[] address) {
    return placeOf(parse(address));
  }

  private static HostAndPort placeOf(InetSocketAddress where) {
    return HostAndPort.fromParts(InetAddresses.toAddrString(where.getAddress()), where.getPort());
  }

  /** Where it listens, for the other ranks. */
  public byte[] address() {
    return placeOf(server.address()).toString().getBytes(UTF_8);
  }

  /** It for one more, who closes it. */
  public synchronized AcceptorHost keep() {
    keepers++;
    wasKept = true;
    return this;
  }

  /** For one that kept it; the last one ends it. */
  @Override
  public void close() {
    if (release()) {
      if (wasMeetingPlace()) {
        server.awaitParting(PARTING);
      }
      server.close();
    }
  }

  private synchronized boolean release() {
    return --keepers == 0;
  }

  private synchronized boolean wasMeetingPlace() {
    return wasKept;
  }
}
