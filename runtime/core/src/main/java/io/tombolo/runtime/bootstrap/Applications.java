// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * New processes that want to be taken into a running communicator, in its lobby: each puts its
 * application behind the others' and waits for a ticket. Whoever grows takes the first ones whose
 * processes live. Who takes and who withdraws an application is settled by the store.
 */
public final class Applications {
  private static final String COUNT = "applications";
  private static final String APPLICATION = "application/";
  private static final String TICKET = "ticket/";
  private static final String PLACES = "grown";
  private static final byte[] TAKEN = "taken".getBytes(UTF_8);
  private static final byte[] WITHDRAWN = "withdrawn".getBytes(UTF_8);
  private static final byte[] MISSING = {};

  /** How often one looks for further applications. */
  private static final Duration LOOK = Duration.ofMillis(200);

  private final Store lobby;

  /** Those in {@code lobby}. */
  public Applications(Store lobby) {
    this.lobby = lobby;
  }

  /**
   * What an applicant is given. In the store it is text: {@code 3 4 grown-1}, and the next rank's
   * process.
   *
   * @param rank its rank
   * @param size how many ranks there are, with those that are new
   * @param place where they meet in the lobby
   * @param next which process the next rank will be; behind the last is the first
   */
  public record Ticket(int rank, int size, String place, RankClaim next) {
    private static final int WORDS = 4;

    /** It as text. */
    public String text() {
      return rank + " " + size + " " + place + " " + new String(next.encode(), UTF_8);
    }

    /** What {@code text} says; a {@link CorruptException} if that is nothing. */
    public static Ticket parse(String text) {
      List<String> words = Splitter.on(' ').limit(WORDS).splitToList(text);
      Integer rank = words.size() == WORDS ? Ints.tryParse(words.get(0)) : null;
      Integer size = words.size() == WORDS ? Ints.tryParse(words.get(1)) : null;
      if (rank == null || size == null || rank < 0 || rank >= size) {
        throw new CorruptException("'" + text + "' stands in the store where a ticket should");
      }
      RankClaim next = RankClaim.decode(words.get(WORDS - 1).getBytes(UTF_8), (rank + 1) % size);
      return new Ticket(rank, size, words.get(2), next);
    }
  }

  /**
   * Applies, and blocks until this process is taken in.
   *
   * @throws DeadlineExceededException if nobody takes it before {@code deadline}
   */
  public Ticket apply(RankClaim self, Deadline deadline) {
    String number = Long.toString(lobby.add(COUNT, 1) - 1);
    lobby.set(APPLICATION + number, self.encode());
    try {
      return ticket(number, deadline);
    } catch (DeadlineExceededException e) {
      byte[] now = lobby.compareSet(APPLICATION + number, self.encode(), WITHDRAWN);
      if (Arrays.equals(now, TAKEN)) { // just now
        return ticket(number, Deadline.after(Duration.ofNanos(deadline.budgetNs())));
      }
      throw new DeadlineExceededException(
          "nobody has taken this process into a running communicator within %s ms; its ranks must call grow, and meet in %s"
              .formatted(deadline.budgetNs() / 1_000_000, lobby.where()),
          e);
    } finally {
      lobby.delete(APPLICATION + number);
    }
  }

  private Ticket ticket(String number, Deadline deadline) {
    Ticket ticket = Ticket.parse(new String(lobby.await(TICKET + number, deadline), UTF_8));
    lobby.delete(TICKET + number);
    return ticket;
  }

  /**
   * Takes {@code wanted} applicants, as soon as there are so many, into a communicator that has
   * {@code size} ranks now.
   *
   * @param first which process rank 0 is
   * @param over why that communicator has failed, if it has: nobody is to join it then
   * @return what the last of those ranks would be given: all are to meet where it says
   * @throws DeadlineExceededException if there are too few before {@code deadline}; they stay
   *     applicants, as if it has failed
   */
  public Ticket take(
      int wanted,
      int size,
      RankClaim first,
      Supplier<Optional<TomboloException>> over,
      Deadline deadline) {
    Map<Integer, byte[]> taken = new TreeMap<>();
    int seen = 0;
    while (true) {
      seen = takeSome(wanted, taken);
      Optional<TomboloException> failure = over.get();
      if (taken.size() == wanted && failure.isEmpty()) {
        return answer(taken, size, first);
      }
      if (failure.isPresent() || deadline.isExpired()) {
        taken.forEach((number, claim) -> lobby.compareSet(APPLICATION + number, TAKEN, claim));
        throw failure.orElseGet(() -> tooFew(wanted, taken.size(), deadline));
      }
      await(APPLICATION + seen, deadline);
    }
  }

  private DeadlineExceededException tooFew(int wanted, int came, Deadline deadline) {
    return new DeadlineExceededException(
        "%s new processes were to come within %s ms, and %s did; start them with the job's TOMBOLO_TOKEN and with MASTER_ADDR and MASTER_PORT of %s, and have them join a growing communicator"
            .formatted(wanted, deadline.budgetNs() / 1_000_000, came, lobby.where()));
  }

  /** Takes what there is; how many applications there have been. */
  private int takeSome(int wanted, Map<Integer, byte[]> taken) {
    int count = lobby.get(COUNT).map(Applications::number).orElse(0);
    for (int number = 0; number < count && taken.size() < wanted; number++) {
      byte[] claim = lobby.get(APPLICATION + number).orElse(MISSING);
      if (isOpen(claim) && isTaken(number, claim)) {
        taken.put(number, claim);
      }
    }
    return count;
  }

  private static boolean isOpen(byte[] claim) {
    if (claim.length == 0 || Arrays.equals(claim, TAKEN) || Arrays.equals(claim, WITHDRAWN)) {
      return false;
    }
    RankClaim applicant = RankClaim.decode(claim, -1);
    return !(applicant.isNear() && applicant.isGone());
  }

  private boolean isTaken(int number, byte[] claim) {
    return Arrays.equals(lobby.compareSet(APPLICATION + number, claim, TAKEN), TAKEN);
  }

  private Ticket answer(Map<Integer, byte[]> taken, int size, RankClaim first) {
    String place = PLACES + "-" + lobby.add(PLACES, 1);
    int all = size + taken.size();
    Ticket ticket = new Ticket(all - 1, all, place, first);
    for (int number : ImmutableList.copyOf(taken.keySet()).reverse()) {
      lobby.set(TICKET + number, ticket.text().getBytes(UTF_8));
      RankClaim self = RankClaim.decode(taken.get(number), ticket.rank());
      ticket = new Ticket(ticket.rank() - 1, all, place, self);
    }
    return ticket;
  }

  private void await(String key, Deadline deadline) {
    long ns = Math.max(0, Math.min(LOOK.toNanos(), deadline.remainingNs()));
    try {
      lobby.await(key, Deadline.after(Duration.ofNanos(ns)));
    } catch (DeadlineExceededException e) {
      return; // one that was given back may be taken instead
    }
  }

  private static int number(byte[] bytes) {
    Integer number = Ints.tryParse(new String(bytes, UTF_8));
    if (number == null || number < 0) {
      throw new CorruptException("the store does not count applications");
    }
    return number;
  }
}
