// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import com.google.common.base.Ticker;
import io.tombolo.base.WakeUps;

/**
 * The pause after which a device is asked again to do what it has refused, as a NIC does that the
 * kernel is about to take away: each time is a call into the kernel. It grows from a millisecond to
 * a second as long as the device does nothing. Used by one thread.
 */
public final class RetryPause {
  private static final long LEAST_NS = 1_000_000;
  private static final long MOST_NS = 1_000_000_000;

  private final Ticker ticker;
  private long lengthNs;
  private long sinceNs;

  /** Nothing was refused yet, and so there is no pause. */
  public RetryPause(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Whether the device may be asked now. */
  public boolean isOver() {
    return lengthNs == 0 || ticker.read() - sinceNs >= lengthNs;
  }

  /** The device has refused. Of several things that it refuses at once, the first one counts. */
  public void onRefusal() {
    if (isOver()) {
      lengthNs = Math.min(MOST_NS, Math.max(LEAST_NS, 2 * lengthNs));
      sinceNs = ticker.read();
    }
  }

  /** There is no pause any more: the device has done something, or there is no time to wait. */
  public void end() {
    lengthNs = 0;
  }

  /** As {@link io.tombolo.rdma.Fabric#awaits}: there is something to ask for. */
  public void awaits(WakeUps wakeUps) {
    wakeUps.within(Math.max(0, sinceNs + lengthNs - ticker.read()));
  }
}
