// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import com.google.common.collect.HashBasedTable;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Table;
import io.tombolo.rdma.Channel;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Channels between the ranks of one process: each rank's ends, by the peer's rank. */
final class LocalLinks {
  private final Table<Integer, Integer, MemoryChannel> data = HashBasedTable.create();
  private final Table<Integer, Integer, MemoryChannel> control = HashBasedTable.create();
  private final Table<Integer, Integer, MemoryChannel> messages = HashBasedTable.create();

  /** Links all of {@code size} ranks with each other, and for votes those that need it. */
  LocalLinks(int size) {
    for (int rank = 0; rank < size; rank++) {
      int self = rank;
      IntStream.range(0, self).forEach(peer -> link(data, self, peer));
      IntStream.range(0, self).forEach(peer -> link(messages, self, peer));
      Executor.controlPeers(self, size).forEach(peer -> link(control, self, peer));
    }
  }

  private static void link(Table<Integer, Integer, MemoryChannel> table, int rank, int peer) {
    if (!table.contains(rank, peer)) {
      MemoryChannel[] pair = MemoryChannel.pair(rank, peer);
      table.put(rank, peer, pair[0]);
      table.put(peer, rank, pair[1]);
    }
  }

  /** Those of {@code rank} for what collectives move. */
  Map<Integer, Channel> data(int rank) {
    return ImmutableMap.copyOf(data.row(rank));
  }

  /** Those of {@code rank} for votes. */
  Map<Integer, Channel> control(int rank) {
    return ImmutableMap.copyOf(control.row(rank));
  }

  /** Those of {@code rank} for messages. */
  Map<Integer, Channel> messages(int rank) {
    return ImmutableMap.copyOf(messages.row(rank));
  }

  /** When channels of {@code rank} are closed, a NIC does not let go at once. */
  void refuseToStop(int rank) {
    ofCollectives(rank).forEach(MemoryChannel::refuseToStop);
  }

  /** Whether what {@code rank}'s executor uses is closed. */
  boolean areClosed(int rank) {
    return ofCollectives(rank).allMatch(MemoryChannel::isClosed);
  }

  private Stream<MemoryChannel> ofCollectives(int rank) {
    return Stream.of(data, control).flatMap(table -> table.row(rank).values().stream());
  }

  /** From now on every channel of {@code rank} behaves as if its peer had died. */
  void breakAll(int rank) {
    Stream.of(data, control, messages)
        .flatMap(table -> table.row(rank).values().stream())
        .forEach(MemoryChannel::breakNow);
  }
}
