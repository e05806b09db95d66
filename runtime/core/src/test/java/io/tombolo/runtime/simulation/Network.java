// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which sockets there are, and how what is sent gets from one to the other: in order, or not. */
final class Network {
  private static final int FIRST_PORT = 40_000;
  private static final long LEAST_DELAY_NS = 20_000;
  private static final int MORE_DELAY_NS = 200_000;

  private final World world;
  private final Map<InetSocketAddress, SimServerSocketChannel> listeners = new HashMap<>();
  private final List<SimSocketChannel> sockets = new ArrayList<>();
  private final Map<Long, SimWaiter> waiters = new HashMap<>();
  private final List<SelectableChannel> descriptors = new ArrayList<>();
  private long lastWaiter;
  private int nextPort = FIRST_PORT;

  Network(World world) {
    this.world = world;
  }

  int newPort() {
    return nextPort++;
  }

  void listen(InetSocketAddress address, SimServerSocketChannel listener) {
    listeners.put(address, listener);
  }

  void unlisten(InetSocketAddress address) {
    listeners.remove(address);
  }

  Optional<SimServerSocketChannel> listener(InetSocketAddress address) {
    return Optional.ofNullable(listeners.get(address));
  }

  void opened(SimSocketChannel socket) {
    sockets.add(socket);
  }

  void closed(SimSocketChannel socket) {
    sockets.remove(socket);
  }

  /** Some processes do not reach each other any more. */
  void onCut() {
    sockets.forEach(SimSocketChannel::onCut);
  }

  /** When what is sent now from one process to the other arrives: so much later. */
  long delayNs(SimProcess from, SimProcess to) {
    return (LEAST_DELAY_NS + world.random().nextInt(MORE_DELAY_NS))
        * Math.max(from.slowness, to.slowness);
  }

  /** Whether {@code caller} reaches a process at {@code address}, which refuses what it must. */
  boolean answers(SimProcess caller, InetAddress address) {
    return world.processAt(address).filter(caller::reaches).isPresent();
  }

  /** What the system does when {@code process} ends. */
  void closeAllOf(SimProcess process) {
    for (SimSocketChannel socket : List.copyOf(sockets)) {
      if (socket.process() == process) {
        socket.hangUp(true);
      }
    }
    listeners.values().removeIf(listener -> listener.process() == process);
  }

  int descriptorOf(SelectableChannel channel) {
    int known = descriptors.indexOf(channel);
    if (known >= 0) {
      return known;
    }
    descriptors.add(channel);
    return descriptors.size() - 1;
  }

  SelectableChannel channel(int descriptor) {
    return descriptors.get(descriptor);
  }

  long openWaiter() {
    waiters.put(++lastWaiter, new SimWaiter(world, this));
    return lastWaiter;
  }

  SimWaiter waiter(long handle) {
    return waiters.get(handle);
  }

  void closeWaiter(long handle) {
    waiters.remove(handle);
  }
}
