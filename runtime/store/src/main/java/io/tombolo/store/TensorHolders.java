// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HolderRank;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A reader's connections to processes that hold a state dict together, each in its own memory:
 * bytes take one hop from there, as one copy on one host, else over the connection.
 *
 * <p>A version can be seen once all holders show it. If one dies, calls that need it fail with an
 * error that names it. Thread-safe; one call at a time.
 *
 * @see io.tombolo.store.volume.Volume#hold
 */
public final class TensorHolders implements AutoCloseable {
  private final ImmutableList<HolderLink> holders;
  private final Duration timeout;

  private TensorHolders(ImmutableList<HolderLink> holders, Duration timeout) {
    this.holders = holders;
    this.timeout = timeout;
  }

  /**
   * Connects to all of them.
   *
   * @param addresses one for each holder, in any order
   * @throws io.tombolo.base.errors.UnavailableException if one does not answer
   * @throws io.tombolo.base.errors.MismatchException if one does not know the token
   */
  public static TensorHolders connect(
      List<InetSocketAddress> addresses, JobToken token, StoreOptions options) {
    if (addresses.isEmpty()) {
      throw new UsageException("no addresses of holders");
    }
    List<HolderLink> links = new ArrayList<>();
    try {
      for (InetSocketAddress address : addresses) {
        links.add(HolderLink.open(address, token, options));
      }
    } catch (RuntimeException e) {
      links.forEach(HolderLink::close);
      throw e;
    }
    // so that readers do not all ask the same replica
    Collections.rotate(links, (int) (ProcessHandle.current().pid() % links.size()));
    return new TensorHolders(ImmutableList.copyOf(links), options.timeout());
  }

  /** How many holders' memory is shared with this process. */
  public int sharing() {
    return (int) holders.stream().filter(each -> each.memory().readable().isPresent()).count();
  }

  /**
   * The newest version that all holders show, once it is newer than {@code newerThan}.
   *
   * @throws DeadlineExceededException if it is not so within {@code patience}; wait again
   * @throws io.tombolo.base.errors.PeerFailedException if a holder has gone
   * @throws io.tombolo.base.errors.MismatchException if they do not agree what a tensor is
   */
  public HeldSnapshot await(String stateDict, long newerThan, Duration patience) {
    HeldLease[] leases = new HeldLease[holders.size()];
    try {
      gather(stateDict, newerThan, Deadline.after(patience), leases);
      return new HeldSnapshot(Arrays.asList(leases));
    } catch (RuntimeException e) {
      for (HeldLease lease : leases) {
        if (lease != null) {
          lease.close();
        }
      }
      throw e;
    }
  }

  @Override
  public void close() {
    holders.forEach(HolderLink::close);
  }

  /** Asks one after the other for what the furthest shows, until all leases are of one version. */
  private void gather(String stateDict, long newerThan, Deadline deadline, HeldLease[] leases) {
    long target = newerThan + 1;
    boolean agreed = false;
    while (!agreed) {
      agreed = true;
      for (int index = 0; index < leases.length; index++) {
        if (leases[index] == null || leases[index].held().version() < target) {
          Optional<HeldLease> next = renew(leases, index, stateDict, target, deadline);
          if (next.isEmpty()) {
            throw tooLate(stateDict, target, leases, index);
          }
          long version = next.get().held().version();
          agreed &= index == 0 || version == target;
          target = version;
        }
      }
      agreed &= isOneRun(leases);
      if (!agreed && deadline.isExpired()) {
        throw tooLate(stateDict, target, leases, 0);
      } else if (!isOneRun(leases)) {
        releaseAll(leases); // some of them have started again, and the others will
      }
    }
  }

  private Optional<HeldLease> renew(
      HeldLease[] leases, int index, String stateDict, long atLeast, Deadline deadline) {
    if (leases[index] != null) {
      leases[index].close();
      leases[index] = null;
    }
    long mostMs = Math.max(1, timeout.toMillis() / 2);
    Optional<HeldLease> next;
    do {
      int waitMs = (int) Math.min(mostMs, deadline.remainingMs());
      next = holders.get(index).lease(stateDict, atLeast, waitMs);
    } while (next.isEmpty() && !deadline.isExpired());
    leases[index] = next.orElse(null);
    return next;
  }

  private boolean isOneRun(HeldLease[] leases) {
    HolderRank first = leases[0].held().rank();
    if (first.holders() != leases.length) {
      throw new UsageException(
          "%s of state dict '%s' needs %s addresses; these are %s: %s"
              .formatted("each reader", first.run(), first.holders(), leases.length, list(leases)));
    }
    long ranks = Arrays.stream(leases).map(each -> each.held().rank()).distinct().count();
    boolean oneRun =
        Arrays.stream(leases).allMatch(each -> each.held().rank().run().equals(first.run()));
    if (oneRun && ranks != leases.length) {
      throw new UsageException("two holders are the same one: " + list(leases));
    }
    return oneRun;
  }

  private static void releaseAll(HeldLease[] leases) {
    for (int index = 0; index < leases.length; index++) {
      leases[index].close();
      leases[index] = null;
    }
  }

  private DeadlineExceededException tooLate(
      String stateDict, long target, HeldLease[] leases, int index) {
    return DeadlineExceededException.ofWait(
        ("version %s or later of state dict '%s' is not shown by %s; the holders show: %s; do all of"
                + " them run, and is their run the same?")
            .formatted(target, stateDict, holders.get(index).link().where(), list(leases)));
  }

  private String list(HeldLease[] leases) {
    return Arrays.stream(leases)
        .map(
            lease ->
                lease == null
                    ? "–"
                    : "%s at version %s (%s)"
                        .formatted(
                            lease.holder().link().where(),
                            lease.held().version(),
                            lease.held().rank()))
        .collect(Collectors.joining(", "));
  }
}
