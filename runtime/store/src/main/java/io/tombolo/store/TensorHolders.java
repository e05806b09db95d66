// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HolderRank;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A reader's connections to processes that hold a state dict together, each in its own memory:
 * bytes take one hop from there, as one copy on one host, else over the connection.
 *
 * <p>A version can be seen once all holders show it. If one dies that has no replicas, calls that
 * need it fail with an error that names it. Thread-safe; one call at a time.
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
   * @param addresses one for each holder, in any order; of replicas, one is enough
   * @throws io.tombolo.base.errors.UnavailableException if one does not answer
   * @throws io.tombolo.base.errors.MismatchException if one does not know the token
   */
  public static TensorHolders connect(
      List<InetSocketAddress> addresses, JobToken token, StoreOptions options) {
    return connect(addresses, token, options, new Random());
  }

  /** Likewise; {@code random} draws which replica is asked first. */
  static TensorHolders connect(
      List<InetSocketAddress> addresses, JobToken token, StoreOptions options, Random random) {
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
    // So that readers do not all ask the same replica, however they list them. Process numbers
    // would not do: in containers all readers may have the same.
    Collections.shuffle(links, random);
    return new TensorHolders(ImmutableList.copyOf(links), options.timeout());
  }

  /** How many holders' memory is shared with this process. */
  public int sharing() {
    return (int) holders.stream().filter(each -> each.memory().readable().isPresent()).count();
  }

  /**
   * The newest version that all holders show, once it is newer than {@code newerThan}. Those that
   * have gone are not waited for if {@link HolderRank#replicas} of them are left.
   *
   * @throws io.tombolo.base.errors.DeadlineExceededException if it is not so within {@code
   *     patience}; wait again
   * @throws io.tombolo.base.errors.PeerFailedException if a holder has gone, and nobody who is left
   *     shows that he is a replica of it
   * @throws io.tombolo.base.errors.MismatchException if they do not agree what a tensor is, or
   *     replicas have not the same
   * @throws UsageException if they are not enough to have all of it, or two are the same
   */
  public HeldSnapshot await(String stateDict, long newerThan, Duration patience) {
    ImmutableList<HeldLease> leases =
        new LeaseGathering(stateDict, holders, timeout).gather(newerThan, Deadline.after(patience));
    try {
      Replicas.requireEqual(leases);
      return new HeldSnapshot(leases);
    } catch (RuntimeException e) {
      HeldLease.closeAfter(e, leases);
      throw e;
    }
  }

  @Override
  public void close() {
    holders.forEach(HolderLink::close);
  }
}
