// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.net.HostAndPort;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.consensus.AcceptorHost;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How the ranks of one side come into a connection of two jobs: the first finds the other side, all
 * hear of it, and join its ranks beside their own job. Used once, by one thread.
 */
final class JobConnecting {
  private static final String WORD = "connection/";

  private final Session job;
  private final RankGroup group;
  private final String word;
  private final InetSocketAddress address;
  private final JobToken token;
  private final Duration limit;
  private Optional<AcceptorHost> host = Optional.empty();

  /**
   * For the ranks of {@code group}, which is {@code job}'s.
   *
   * @param number how many connections these ranks have made or tried before
   * @param address where both sides meet
   * @param token what both prove
   * @param limit how long the other side is waited for
   */
  JobConnecting(
      Session job,
      RankGroup group,
      int number,
      InetSocketAddress address,
      JobToken token,
      Duration limit) {
    this.job = job;
    this.group = group;
    this.word = WORD + number;
    this.address = address;
    this.token = token;
    this.limit = limit;
    if (address.isUnresolved()
        || address.getPort() == 0
        || address.getAddress().isAnyLocalAddress()) {
      throw new UsageException(
          "rank %s: two jobs cannot meet at %s; name a port, and the one address of the accepting job's rank 0 by which all ranks reach it"
              .formatted(self(), address));
    }
  }

  /** As {@link Communicator#accept}. */
  Intercommunicator accept() {
    try {
      Encounter encounter = heard(this::awaited);
      return new Intercommunicator(job, joined(encounter, self()), true, encounter);
    } finally {
      host.ifPresent(AcceptorHost::close); // it stays for the connection, if that has been made
    }
  }

  /** As {@link Communicator#connect}. */
  Intercommunicator connect() {
    Encounter encounter =
        heard(() -> Encounter.connect(address, token, size(), Deadline.after(limit)));
    Communicator both = joined(encounter, encounter.accepting() + self());
    return new Intercommunicator(job, both, false, encounter);
  }

  private Encounter awaited() {
    Deadline deadline = Deadline.after(limit);
    host = Optional.of(AcceptorHost.meetingPlace(address, token));
    try (Store lobby = TcpStore.connect(address, token, deadline)) {
      return Encounter.accept(lobby, address, size(), deadline);
    }
  }

  /** What the first rank has found. */
  private Encounter heard(Supplier<Encounter> finding) {
    try {
      return Encounter.parse(
          OnBehalf.of(self(), group.keys().place(), word, () -> finding.get().text(), limit));
    } finally {
      job.store().publish();
    }
  }

  private Communicator joined(Encounter encounter, int rank) {
    JobEnvironment environment =
        job.environment()
            .among(rank, encounter.accepting() + encounter.connecting())
            .meetingAt(address, token);
    Supplier<Store> lobby = () -> TcpStore.connect(address, token, environment.deadline());
    MeetingPlace place =
        new MeetingPlace(
            () -> lobby.get().narrowedTo(encounter.place()),
            lobby,
            Optional.empty(),
            Optional.of(HostAndPort.fromParts(address.getHostString(), address.getPort())),
            host.map(AcceptorHost::keep),
            Optional.empty(),
            other -> Optional.empty());
    Communicator both = Communicator.beside(job, environment, place);
    if (self() == 0) {
      group.keys().forget(word); // all have come, so all have read it
    }
    return both;
  }

  private int self() {
    return group.members().self();
  }

  private int size() {
    return group.members().size();
  }
}
