// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.rdma.Channel;
import io.tombolo.rdma.ProtocolCounters;
import java.util.Optional;

/** What channels have carried together. */
final class RailTotals {
  private long copiedBytes;
  private long engineBytes;
  private long directBytes;
  private Optional<ProtocolCounters> counters = Optional.empty();

  void add(Channel channel) {
    copiedBytes += channel.copiedBytes();
    engineBytes += channel.engineBytes();
    directBytes += channel.directBytes();
    channel.protocolCounters().ifPresent(this::add);
  }

  private void add(ProtocolCounters more) {
    ProtocolCounters sum = counters.orElseGet(ProtocolCounters::new);
    sum.add(more);
    counters = Optional.of(sum);
  }

  long copiedBytes() {
    return copiedBytes;
  }

  long engineBytes() {
    return engineBytes;
  }

  long directBytes() {
    return directBytes;
  }

  Optional<ProtocolCounters> counters() {
    return counters;
  }

  void add(RailTotals more) {
    copiedBytes += more.copiedBytes;
    engineBytes += more.engineBytes;
    directBytes += more.directBytes;
    more.counters.ifPresent(this::add);
  }
}
