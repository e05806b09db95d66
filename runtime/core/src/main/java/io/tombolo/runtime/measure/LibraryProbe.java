// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import com.google.common.collect.ImmutableList;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.Primitive;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.UniqueIds;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.equipment.JoinWatch;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.calibration.MeasuringPlan.Turn;
import io.tombolo.topology.machine.LinkCost;
import java.util.Optional;

/**
 * Times a vendor's library between two of its devices: a communicator of the two, in which a
 * broadcast of one is answered by a broadcast of the other.
 */
final class LibraryProbe {
  private final Equipment equipment;
  private final int rank;
  private final Turn turn;
  private final Deadline deadline;

  LibraryProbe(Equipment equipment, int rank, Turn turn, Deadline deadline) {
    this.equipment = equipment;
    this.rank = rank;
    this.turn = turn;
    this.deadline = deadline;
  }

  /** The figures; empty if the library declares no broadcast. */
  Optional<LinkCost> measure(Store desk) {
    Optional<DataType> type = typeToMove(equipment.ccl().capabilities());
    if (type.isEmpty()) {
      return Optional.empty();
    }
    Cluster pair = new Cluster(0, turn.name(), ImmutableList.of(turn.from(), turn.to()));
    byte[] uniqueId =
        UniqueIds.share(desk, "pair", rank, turn.from(), equipment.ccl()::newUniqueId, deadline);
    DeviceAdaptor device = equipment.device();
    try (CclCommunicator both =
            equipment.join(
                uniqueId, pair, equipment.ccl().capabilities(), rank, JoinWatch.NONE, deadline);
        Stream stream = device.newStream();
        DeviceMemory send = device.allocate(RoundTrips.MAX_BYTES);
        DeviceMemory receive = device.allocate(RoundTrips.MAX_BYTES)) {
      return Optional.of(
          RoundTrips.time(
              sizeBytes -> exchange(both, send, receive, stream, type.get(), sizeBytes)));
    }
  }

  private static Optional<DataType> typeToMove(Capabilities capabilities) {
    return capabilities.types().stream()
        .filter(type -> capabilities.supports(Primitive.BROADCAST, type))
        .filter(type -> Long.BYTES % type.sizeBytes() == 0)
        .findFirst();
  }

  private void exchange(
      CclCommunicator both,
      DeviceMemory send,
      DeviceMemory receive,
      Stream stream,
      DataType type,
      long sizeBytes) {
    long count = sizeBytes / type.sizeBytes();
    try {
      both.broadcast(send.address(), receive.address(), count, type, 0, stream);
      both.broadcast(send.address(), receive.address(), count, type, 1, stream);
      Patience.until(
          stream::isIdle,
          deadline,
          () ->
              "rank %s: a broadcast of %s bytes between ranks %s and %s does not end in the library of '%s'"
                  .formatted(rank, sizeBytes, turn.from(), turn.to(), turn.name()));
    } catch (TomboloException e) {
      equipment.device().taint(); // the library may still be at work on what would be freed
      throw e;
    }
  }
}
