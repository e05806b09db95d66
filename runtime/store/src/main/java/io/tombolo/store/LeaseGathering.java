// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HolderRank;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A reader's way to leases on one version, from each of the holders that it is connected to. It
 * goes on without one that has gone if others say that they have the same. For one call of {@link
 * #gather}.
 */
final class LeaseGathering {
  private static final int SLICE_MS = 500;

  /** A holder that has not gone, and what it has lent so far. */
  private static final class Seat {
    private final HolderLink holder;
    private Optional<HeldLease> lease = Optional.empty();

    Seat(HolderLink holder) {
      this.holder = holder;
    }

    long version() {
      return lease.map(each -> each.held().version()).orElse(0L);
    }

    void giveBack() {
      lease.ifPresent(HeldLease::close);
      lease = Optional.empty();
    }

    String text() {
      String where = holder.link().where();
      return lease
          .map(HeldLease::held)
          .map(held -> "%s shows version %s (%s)".formatted(where, held.version(), held.rank()))
          .orElse(where + " shows none");
    }
  }

  private final String stateDict;
  private final Duration timeout;
  private final List<Seat> seats = new ArrayList<>();
  private Optional<TomboloException> loss = Optional.empty();

  /**
   * A reader of {@code stateDict}.
   *
   * @param holders in the order in which replicas are asked
   * @param timeout of their connections
   */
  LeaseGathering(String stateDict, List<HolderLink> holders, Duration timeout) {
    this.stateDict = stateDict;
    this.timeout = timeout;
    holders.forEach(holder -> seats.add(new Seat(holder)));
  }

  /** Leases on the newest version that all of them show, once it is newer than that. */
  ImmutableList<HeldLease> gather(long newerThan, Deadline deadline) {
    try {
      return leases(newerThan, deadline);
    } catch (RuntimeException e) {
      HeldLease.closeAfter(e, lent());
      throw e;
    }
  }

  private ImmutableList<HeldLease> leases(long newerThan, Deadline deadline) {
    long target = LongMath.saturatedAdd(Math.max(0, newerThan), 1);
    String otherRuns = "";
    while (true) {
      target = askAll(target, deadline);
      if (areAllOf(target)) {
        if (areOfOneRun()) {
          return lent();
        }
        otherRuns = "not of one run: " + list() + "; since then, ";
        target++; // some of them have started again, and the others will show something newer
      }
      if (deadline.isExpired()) {
        throw tooLate(target, otherRuns);
      }
    }
  }

  private ImmutableList<HeldLease> lent() {
    return seats.stream()
        .flatMap(seat -> seat.lease.stream())
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Asks one after the other for what the furthest shows, which it returns. It waits for one at a
   * time, and not for long, so that it notices when another has gone.
   */
  private long askAll(long target, Deadline deadline) {
    long furthest = target;
    int mostMs = (int) Math.min(SLICE_MS, Math.max(1, timeout.toMillis() / 2));
    for (Seat seat : List.copyOf(seats)) {
      if (seat.version() < furthest) {
        seat.giveBack();
        ask(seat, furthest, Math.min(mostMs, deadline.remainingMs()));
        furthest = Math.max(furthest, seat.version());
        mostMs = seat.lease.isPresent() ? mostMs : 0;
      }
    }
    return furthest;
  }

  private void ask(Seat seat, long atLeast, int waitMs) {
    try {
      seat.lease = seat.holder.lease(stateDict, atLeast, waitMs);
    } catch (PeerFailedException | DeadlineExceededException e) {
      requireLost(seat, e);
      seats.remove(seat);
      loss = Optional.of(e);
      if (!HolderRank.areComplete(shown())) {
        throw e;
      }
    }
  }

  /** Who those are that are left, as far as they show any version. */
  private List<HolderRank> shown() {
    List<HolderRank> ranks = new ArrayList<>();
    for (Seat seat : seats) {
      if (seat.lease.isPresent()) {
        ranks.add(seat.lease.get().held().rank());
        continue;
      }
      try {
        seat.lease = seat.holder.lease(stateDict, 1, 0);
        seat.lease.ifPresent(lease -> ranks.add(lease.held().rank()));
        seat.giveBack();
      } catch (PeerFailedException | DeadlineExceededException e) {
        requireLost(seat, e); // it has gone, too, which its own turn will find
      }
    }
    return ranks;
  }

  /** Calls fail for other reasons than that a holder has gone: these are the caller's to know. */
  private static void requireLost(Seat seat, TomboloException failure) {
    if (!seat.holder.link().isLost()) {
      throw failure;
    }
  }

  private boolean areAllOf(long version) {
    return seats.stream().allMatch(seat -> seat.version() == version);
  }

  private boolean areOfOneRun() {
    List<HolderRank> ranks = new ArrayList<>();
    seats.forEach(seat -> seat.lease.ifPresent(lease -> ranks.add(lease.held().rank())));
    HolderRank first = ranks.get(0);
    if (!ranks.stream().allMatch(each -> each.run().equals(first.run()))) {
      return false;
    }
    if (!ranks.stream().allMatch(first::isBeside)) {
      throw new MismatchException("holders of one run do not agree how many they are: " + list());
    }
    if (ranks.stream().distinct().count() != ranks.size()) {
      throw new UsageException("two addresses are of the same holder: " + list());
    }
    if (!HolderRank.areComplete(ranks)) {
      throw loss.orElseGet(
          () ->
              new UsageException(
                  ("the state dict has %s shares, and a reader needs the address of a holder of"
                          + " each; these are not all: %s")
                      .formatted(first.shares(), list())));
    }
    return true;
  }

  private DeadlineExceededException tooLate(long target, String otherRuns) {
    return DeadlineExceededException.ofWait(
        "the holders of state dict '%s' do not all show version %s: %s%s; do all of them run?%s"
            .formatted(
                stateDict,
                target,
                otherRuns,
                list(),
                loss.map(each -> " " + each.getMessage()).orElse("")));
  }

  private String list() {
    return seats.stream().map(Seat::text).collect(Collectors.joining(", "));
  }
}
