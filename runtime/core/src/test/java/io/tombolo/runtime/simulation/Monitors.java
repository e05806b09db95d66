// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/** The monitors of objects. */
final class Monitors {
  private static final class Monitor {
    private SimThread owner;
    private int depth;
    private int interested;
    private final List<SimThread> waiting = new ArrayList<>();
  }

  private final World world;
  private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();

  Monitors(World world) {
    this.world = world;
  }

  void enter(Object object) {
    SimThread mine = SimThread.here();
    world.point();
    Monitor monitor = monitors.computeIfAbsent(object, key -> new Monitor());
    monitor.interested++;
    if (monitor.owner != mine) {
      while (monitor.owner != null) {
        world.await("enter", () -> monitor.owner == null, Long.MAX_VALUE);
      }
      monitor.owner = mine;
    }
    monitor.depth++;
  }

  void exit(Object object) {
    SimThread mine = SimThread.here();
    if (mine.doomed) {
      return;
    }
    Monitor monitor = monitors.get(object);
    if (monitor == null || monitor.owner != mine) {
      throw new IllegalMonitorStateException("the monitor of " + object.getClass());
    }
    monitor.depth--;
    if (--monitor.interested == 0) {
      monitors.remove(object);
    }
    if (monitor.depth == 0) {
      monitor.owner = null;
      world.point();
    }
  }

  boolean holds(Object object) {
    Monitor monitor = monitors.get(object);
    return monitor != null && monitor.owner == SimThread.here();
  }

  /** Waits to be notified; 0 ms is for ever. */
  void await(Object object, long ms) throws InterruptedException {
    SimThread mine = SimThread.here();
    Monitor monitor = monitors.get(object);
    if (monitor == null || monitor.owner != mine) {
      throw new IllegalMonitorStateException("the monitor of " + object.getClass());
    }
    int depth = monitor.depth;
    monitor.depth = 0;
    monitor.owner = null;
    monitor.waiting.add(mine);
    long untilNs = ms == 0 ? Long.MAX_VALUE : world.nowNs() + ms * 1_000_000;
    world.await("wait", () -> mine.interrupted || !monitor.waiting.contains(mine), untilNs);
    boolean notified = !monitor.waiting.remove(mine);
    while (monitor.owner != null) {
      world.await("re-enter", () -> monitor.owner == null, Long.MAX_VALUE);
    }
    monitor.owner = mine;
    monitor.depth = depth;
    if (!notified && mine.takeInterrupt()) {
      throw new InterruptedException();
    }
  }

  void notifyAll(Object object) {
    Monitor monitor = monitors.get(object);
    if (monitor != null && !monitor.waiting.isEmpty()) {
      monitor.waiting.clear();
      world.stir();
    }
  }

  void notifyOne(Object object) {
    Monitor monitor = monitors.get(object);
    if (monitor != null && !monitor.waiting.isEmpty()) {
      monitor.waiting.remove(world.random().nextInt(monitor.waiting.size()));
      world.stir();
    }
  }
}
