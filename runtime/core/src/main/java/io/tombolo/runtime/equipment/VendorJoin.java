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
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Joins the vendor's communicator of a cluster. A library waits there for members that are dead, so
 * the wait ends as soon as the job has failed.
 */
final class VendorJoin {
  private VendorJoin() {}

  static CclCommunicator join(
      CclAdaptor ccl,
      DeviceAdaptor device,
      byte[] uniqueId,
      Cluster cluster,
      Capabilities declared,
      int rank,
      Supplier<Optional<String>> failure,
      Deadline deadline) {
    try {
      return LeavableCall.make(
          "tombolo-vendor-join",
          () -> joined(ccl, device, uniqueId, cluster, declared, rank),
          deadline,
          () -> requireNone(failure, device, cluster, rank));
    } catch (TimeoutException e) {
      device.taint(); // the thread left behind may come to life again
      throw new DeadlineExceededException(
          "rank "
              + rank
              + ": the library of '"
              + cluster.vendor()
              + "' did not bring ranks "
              + cluster.ranks()
              + " together within "
              + deadline.budgetNs() / 1_000_000
              + " ms; look at their output",
          e);
    } catch (InterruptedException e) {
      device.taint();
      Thread.currentThread().interrupt();
      throw new AbortedException(
          "rank " + rank + ": interrupted while joining the vendor's communicator", e);
    }
  }

  private static CclCommunicator joined(
      CclAdaptor ccl,
      DeviceAdaptor device,
      byte[] uniqueId,
      Cluster cluster,
      Capabilities declared,
      int rank) {
    int position = cluster.positionOf(rank);
    CclCommunicator joined = ccl.join(uniqueId, position, cluster.size());
    new WarmUp(device, joined, declared, position, cluster.size()).run();
    return joined;
  }

  /** Throws the job's failure, or that the job itself is lost; the library is left behind. */
  private static void requireNone(
      Supplier<Optional<String>> failure, DeviceAdaptor device, Cluster cluster, int rank) {
    try {
      failure
          .get()
          .ifPresent(
              text -> {
                throw new PeerFailedException(
                    "rank %d stops while the library of '%s' brings ranks %s together: %s"
                        .formatted(rank, cluster.vendor(), cluster.ranks(), text));
              });
    } catch (TomboloException e) {
      device.taint();
      throw e;
    }
  }
}
