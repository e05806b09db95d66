// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.LeavableCall;
import io.tombolo.topology.Cluster;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins the vendor's communicator of a cluster. A library waits there for members that are dead, so
 * the wait ends as soon as the job has failed, and the library is {@linkplain JoiningMember#leave
 * left}. Now and then it says that it waits, and for whom.
 */
final class VendorJoin {
  private static final Logger LOG = LoggerFactory.getLogger(VendorJoin.class);
  private static final long TELL_NS = Duration.ofSeconds(10).toNanos();

  private final DeviceAdaptor device;
  private final Cluster cluster;
  private final int rank;
  private final JoinWatch watch;
  private final Deadline deadline;
  private final Logger log;
  private long toldNs;

  /** Those that are being made, by another thread, once it has joined. */
  private volatile Optional<FirstCalls> firstCalls = Optional.empty();

  /** What it tells, it tells {@code log}. */
  VendorJoin(
      DeviceAdaptor device,
      Cluster cluster,
      int rank,
      JoinWatch watch,
      Deadline deadline,
      Logger log) {
    this.device = device;
    this.cluster = cluster;
    this.rank = rank;
    this.watch = watch;
    this.deadline = deadline;
    this.log = log;
    this.toldNs = deadline.elapsedNs();
  }

  static CclCommunicator join(
      CclAdaptor ccl,
      DeviceAdaptor device,
      byte[] uniqueId,
      Cluster cluster,
      Capabilities declared,
      int rank,
      JoinWatch watch,
      Deadline deadline) {
    return new VendorJoin(device, cluster, rank, watch, deadline, LOG)
        .join(ccl, uniqueId, declared);
  }

  /** As the static one. */
  CclCommunicator join(CclAdaptor ccl, byte[] uniqueId, Capabilities declared) {
    JoiningMember member = new JoiningMember(rank, device, declared.has(Capabilities.Flag.ABORT));
    int position = cluster.positionOf(rank);
    int size = cluster.size();
    try {
      return LeavableCall.make(
          "tombolo-vendor-join",
          () ->
              member.enter(
                  () -> ccl.join(uniqueId, position, size),
                  joined ->
                      makeFirstCalls(new FirstCalls(device, joined, declared, position, size))),
          deadline,
          () -> look(member));
    } catch (TimeoutException e) {
      member.leave();
      throw late(e);
    } catch (DeadlineExceededException e) { // which of the two threads is first is left to chance
      throw firstCalls.isPresent() ? late(e) : e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      member.leave();
      throw new AbortedException(
          "rank " + rank + ": interrupted while joining the vendor's communicator", e);
    }
  }

  private DeadlineExceededException late(Exception cause) {
    return new DeadlineExceededException(
        "rank %s: the library of '%s' did not bring ranks %s together within %s ms%s%s; look at their output"
            .formatted(
                rank,
                cluster.vendor(),
                cluster.ranks(),
                deadline.budgetNs() / 1_000_000,
                missing(),
                made()),
        cause);
  }

  private void makeFirstCalls(FirstCalls calls) {
    firstCalls = Optional.of(calls);
    calls.run(rank, deadline);
  }

  /** Throws the job's failure, or that the job itself is lost; the member is left then. */
  private void look(JoiningMember member) {
    try {
      watch.failure().get().ifPresent(this::stop);
      if (deadline.elapsedNs() - toldNs >= TELL_NS) {
        toldNs = deadline.elapsedNs();
        tell();
      }
    } catch (TomboloException e) {
      member.leave();
      throw e;
    }
  }

  private void stop(String failure) {
    throw new PeerFailedException(
        "rank %s stops while the library of '%s' brings ranks %s together: %s"
            .formatted(rank, cluster.vendor(), cluster.ranks(), failure));
  }

  /** One member speaks for all. */
  private void tell() {
    if (rank == cluster.rank(0)) {
      log.warn(
          "the library of '{}' has not brought ranks {} together after {} of {} s{}",
          cluster.vendor(),
          cluster.ranks(),
          deadline.elapsedNs() / 1_000_000_000,
          deadline.budgetNs() / 1_000_000_000,
          missing());
    }
  }

  private String missing() {
    List<Integer> missing = watch.missing().get();
    return missing.isEmpty() ? "" : "; not in it yet: " + missing;
  }

  private String made() {
    return firstCalls
        .map(FirstCalls::called)
        .filter(calls -> !calls.isEmpty())
        .map(calls -> "; it was in its first calls: " + String.join(", ", calls))
        .orElse("");
  }
}
