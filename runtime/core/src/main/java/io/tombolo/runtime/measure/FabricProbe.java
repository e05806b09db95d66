// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.Deadline;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.exec.memory.HostWindow;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.calibration.MeasuringPlan.Turn;
import io.tombolo.topology.machine.LinkCost;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Times a channel between two ranks: a message from pinned memory to pinned memory, and one back.
 */
final class FabricProbe implements Channel.Completions {
  private static final String ARRIVED = "arrived";
  private static final String RELEASED = "released";

  private final Equipment equipment;
  private final int rank;
  private final Turn turn;
  private final RankDescriptor peer;
  private final Deadline deadline;
  private final Fabric fabric;
  private int sent;
  private int received;

  /** Chooses the fabric to {@code peer} as a communicator does. */
  FabricProbe(Equipment equipment, int rank, Turn turn, RankDescriptor peer, Deadline deadline) {
    this.equipment = equipment;
    this.rank = rank;
    this.turn = turn;
    this.peer = peer;
    this.deadline = deadline;
    this.fabric = equipment.selector().choose(peer.rank(), peer.fabricAddresses()).fabric();
  }

  /** The name of the fabric that is measured. */
  String fabric() {
    return fabric.name();
  }

  /** The figures; {@code channelId} is one that this pair has not used. */
  LinkCost measure(Store desk, long channelId) {
    byte[] address = peer.fabricAddresses().get(fabric.name());
    try (Channel channel = fabric.connect(peer.rank(), address, channelId, deadline);
        DeviceMemory pinned = equipment.device().allocatePinned(RoundTrips.MAX_BYTES)) {
      await(channel, channel::isOpen, "no channel opens");
      LinkCost cost = RoundTrips.time(sizeBytes -> exchange(channel, pinned.address(), sizeBytes));
      part(channel, desk);
      return cost;
    }
  }

  private void exchange(Channel channel, long address, long sizeBytes) {
    HostWindow window =
        new HostWindow(address, sizeBytes, Optional.empty(), equipment.device().isHost());
    if (rank == turn.from()) {
      send(channel, window);
      receive(channel, window);
    } else {
      receive(channel, window);
      send(channel, window);
    }
  }

  private void send(Channel channel, HostWindow window) {
    int before = sent;
    await(channel, () -> channel.send(0, window, 0, window.sizeBytes()), "no room for a message");
    await(
        channel,
        () -> sent > before,
        "a message of " + window.sizeBytes() + " bytes does not leave");
  }

  private void receive(Channel channel, HostWindow window) {
    int before = received;
    await(channel, () -> channel.receive(0, window, 0, window.sizeBytes()), "no room to receive");
    await(
        channel,
        () -> received > before,
        "a message of " + window.sizeBytes() + " bytes does not come");
  }

  /** The last message must have come before either end closes: the store tells. */
  private void part(Channel channel, Store desk) {
    if (rank == turn.from()) {
      desk.set(ARRIVED, new byte[1]);
      desk.await(RELEASED, deadline);
    } else {
      await(channel, () -> desk.get(ARRIVED).isPresent(), "the last message does not arrive");
      desk.set(RELEASED, new byte[1]);
    }
  }

  private void await(Channel channel, BooleanSupplier done, String complaint) {
    Patience.until(
        () -> {
          fabric.progress();
          channel.poll(this);
          return done.getAsBoolean();
        },
        deadline,
        () ->
            "rank %s: %s, between ranks %s and %s by %s"
                .formatted(rank, complaint, turn.from(), turn.to(), fabric.name()));
  }

  @Override
  public void onSent(long tag, long sizeBytes) {
    sent++;
  }

  @Override
  public void onReceived(long tag, long sizeBytes) {
    received++;
  }
}
