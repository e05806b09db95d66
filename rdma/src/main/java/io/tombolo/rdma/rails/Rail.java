// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.rdma.Fabric;

/**
 * One of the ways out of this process.
 *
 * @param fabric what moves bytes over it
 * @param nic the name of its NIC, for people
 * @param megabytesPerSecond its rate; 0 where nobody knows
 */
public record Rail(Fabric fabric, String nic, int megabytesPerSecond) {
  /** Checks the rate. */
  public Rail {
    checkArgument(megabytesPerSecond >= 0, "a rate of %s MB/s", megabytesPerSecond);
  }
}
