package io.tombolo.runtime.equipment;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.exec.LeavableCall;
import io.tombolo.topology.Cluster;
import java.util.concurrent.TimeoutException;

/** Joins the vendor's communicator of a cluster. */
final class VendorJoin {
  private VendorJoin() {}

  static CclCommunicator join(
      CclAdaptor ccl,
      DeviceAdaptor device,
      byte[] uniqueId,
      Cluster cluster,
      int rank,
      Deadline deadline) {
    try {
      return LeavableCall.make(
          "tombolo-vendor-join",
          () -> ccl.join(uniqueId, cluster.positionOf(rank), cluster.size()),
          deadline);
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
      Thread.currentThread().interrupt();
      throw new AbortedException(
          "rank " + rank + ": interrupted while joining the vendor's communicator", e);
    }
  }
}
