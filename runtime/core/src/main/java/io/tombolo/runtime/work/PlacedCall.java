package io.tombolo.runtime.work;

import io.tombolo.runtime.plan.CollectiveCall;

/**
 * A collective call on memory of this process's device.
 *
 * @param call what is called; whether it is in place is found out from the addresses
 * @param send device address of the input
 * @param receive device address of the output
 */
public record PlacedCall(CollectiveCall call, long send, long receive) {
  /**
   * This call, known to be in place or not.
   *
   * @throws io.tombolo.base.errors.UsageException if its buffers overlap without being in place
   */
  public PlacedCall placed(int rank, int size) {
    return new PlacedCall(Placement.of(call, rank, size, send, receive), send, receive);
  }
}
