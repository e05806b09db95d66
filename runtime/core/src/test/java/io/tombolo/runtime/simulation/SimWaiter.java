// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;

/** What {@code NativeWaiter} has of the system: an epoll and an eventfd. */
final class SimWaiter {
  private static final int SIGNALLED = 1;
  private static final int READABLE = 2;

  private final World world;
  private final Network network;
  private final List<SelectableChannel> watched = new ArrayList<>();
  private boolean signalled;

  SimWaiter(World world, Network network) {
    this.world = world;
    this.network = network;
  }

  int watch(int[] descriptors, int count) {
    watched.clear();
    for (int i = 0; i < count; i++) {
      watched.add(network.channel(descriptors[i]));
    }
    return 0;
  }

  int signal() {
    signalled = true;
    world.stir();
    world.point();
    return 0;
  }

  int await(int timeoutMs) {
    world.await("waiter", () -> signalled || isReadable(), world.nowNs() + timeoutMs * 1_000_000L);
    int why = (signalled ? SIGNALLED : 0) | (isReadable() ? READABLE : 0);
    signalled = false;
    watched.clear();
    return why;
  }

  private boolean isReadable() {
    for (SelectableChannel each : watched) {
      if (each.isOpen() && ((SimSelectable) each).isReadable()) {
        return true;
      }
    }
    return false;
  }
}
