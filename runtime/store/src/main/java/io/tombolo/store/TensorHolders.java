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
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
  private static final int SLICE_MS = 500;

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

  /**
   * Asks one after the other for what the furthest shows, until all leases are of one version. It
   * waits for one at a time, and not for long, so that it notices when another has gone.
   */
  private void gather(String stateDict, long newerThan, Deadline deadline, HeldLease[] leases) {
    long target = newerThan + 1;
    String otherRuns = "";
    while (true) {
      int mostMs = (int) Math.min(SLICE_MS, Math.max(1, timeout.toMillis() / 2));
      for (int index = 0; index < leases.length; index++) {
        if (leases[index] == null || leases[index].held().version() < target) {
          int waitMs = Math.min(mostMs, deadline.remainingMs());
          release(leases, index);
          leases[index] = holders.get(index).lease(stateDict, target, waitMs).orElse(null);
          if (leases[index] == null) {
            mostMs = 0;
          } else {
            target = leases[index].held().version();
          }
        }
      }
      if (areAllOf(target, leases)) {
        if (areOfOneRun(leases)) {
          return;
        }
        otherRuns = "not of one run: " + list(leases) + "; since then, ";
        target++; // some of them have started again, and the others will show something newer
      }
      if (deadline.isExpired()) {
        throw tooLate(stateDict, target, leases, otherRuns);
      }
    }
  }

  private static boolean areAllOf(long version, HeldLease[] leases) {
    return Arrays.stream(leases)
        .allMatch(lease -> lease != null && lease.held().version() == version);
  }

  private static void release(HeldLease[] leases, int index) {
    if (leases[index] != null) {
      leases[index].close();
      leases[index] = null;
    }
  }

  private static boolean areOfOneRun(HeldLease[] leases) {
    HolderRank first = leases[0].held().rank();
    if (first.holders() != leases.length) {
      throw new UsageException(
          "a reader needs the addresses of all %s holders; these are %s: %s"
              .formatted(first.holders(), leases.length, list(leases)));
    }
    boolean oneRun =
        Arrays.stream(leases).allMatch(each -> each.held().rank().run().equals(first.run()));
    long ranks = Arrays.stream(leases).map(each -> each.held().rank()).distinct().count();
    if (oneRun && ranks != leases.length) {
      throw new UsageException("two addresses are of the same holder: " + list(leases));
    }
    return oneRun;
  }

  private DeadlineExceededException tooLate(
      String stateDict, long target, HeldLease[] leases, String otherRuns) {
    String missing =
        IntStream.range(0, leases.length)
            .filter(index -> leases[index] == null)
            .mapToObj(index -> holders.get(index).link().where() + " shows none")
            .collect(Collectors.joining(", "));
    return DeadlineExceededException.ofWait(
        "the holders of state dict '%s' do not all show version %s: %s%s, %s; do all of them run?"
            .formatted(stateDict, target, otherRuns, list(leases), missing));
  }

  private static String list(HeldLease[] leases) {
    return Arrays.stream(leases)
        .filter(Objects::nonNull)
        .map(
            lease ->
                "%s shows version %s (%s)"
                    .formatted(
                        lease.holder().link().where(), lease.held().version(), lease.held().rank()))
        .collect(Collectors.joining(", "));
  }
}
