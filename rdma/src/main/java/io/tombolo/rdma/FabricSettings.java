// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;

/**
 * What every fabric of a process is opened with.
 *
 * @param rank this process's rank; of two ranks the lesser one dials
 * @param token the secret that both ends of a connection prove to each other
 * @param pinner makes slots reachable for this process's device
 * @param geometry the most that a channel may use
 * @param ticker the clock of deadlines
 * @param mayBeLeft whether a channel that does not open may go by what {@linkplain
 *     FabricProvider#standsIn stands in}, if its peer may, too
 */
public record FabricSettings(
    int rank,
    JobToken token,
    HostPinner pinner,
    SlotGeometry geometry,
    Ticker ticker,
    boolean mayBeLeft) {

  /** Checks the rank. */
  public FabricSettings {
    checkArgument(rank >= 0, "a rank is not negative: %s", rank);
    requireNonNull(token, "no fabric listens without a job token");
    requireNonNull(pinner, "pinner");
    requireNonNull(geometry, "geometry");
    requireNonNull(ticker, "ticker");
  }

  /** Of a process whose channels go by their own fabrics, or not at all. */
  public FabricSettings(
      int rank, JobToken token, HostPinner pinner, SlotGeometry geometry, Ticker ticker) {
    this(rank, token, pinner, geometry, ticker, false);
  }

  /** The default geometry and the system's clock. */
  public static FabricSettings of(int rank, JobToken token, HostPinner pinner) {
    return new FabricSettings(rank, token, pinner, SlotGeometry.DEFAULT, Ticker.systemTicker());
  }

  /** The same, but for whether channels {@code may} leave their fabrics. */
  public FabricSettings leaving(boolean may) {
    return new FabricSettings(rank, token, pinner, geometry, ticker, may);
  }
}
