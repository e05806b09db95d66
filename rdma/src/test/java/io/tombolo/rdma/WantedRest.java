// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import io.tombolo.base.NativeWaiter;
import io.tombolo.base.WakeUps;
import java.util.Arrays;

/** The rest that a fabric would take now, and what it wants to be woken by. */
final class WantedRest implements WakeUps {
  /** Shorter ones are naps: who drives fabrics comes round again by itself. */
  static final long NAP_NS = 1_000_000;

  private int[] descriptors = new int[0];
  private long restNs = Long.MAX_VALUE;

  static WantedRest of(Fabric fabric) {
    WantedRest rest = new WantedRest();
    fabric.awaits(rest);
    return rest;
  }

  @Override
  public void on(int descriptor) {
    descriptors = Arrays.copyOf(descriptors, descriptors.length + 1);
    descriptors[descriptors.length - 1] = descriptor;
  }

  @Override
  public void within(long delayNs) {
    restNs = Math.min(restNs, delayNs);
  }

  /** Has {@code waiter} watch what it waits for. */
  void watch(NativeWaiter waiter) {
    waiter.watch(descriptors, descriptors.length);
  }

  /** The most that it may take. */
  long restNs() {
    return restNs;
  }

  boolean mayRest() {
    return restNs > NAP_NS;
  }
}
