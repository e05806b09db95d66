// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import io.tombolo.runtime.bootstrap.RankClaim;
import java.nio.ByteBuffer;
import java.util.List;

/** What a rank records, in memory only, for tests of other packages. */
public final class FlightMemory {
  private static final int RECORDS = 128;

  private final ByteBuffer bytes = ByteBuffer.allocateDirect(FlightFormat.fileBytes(RECORDS));
  private final FlightFile file =
      FlightFile.on(
          bytes,
          new FlightHeader(
              RECORDS, 0, 2, 0, 0, 1, 0, 0, 0, "host", "here", RankClaim.ofThisProcess(), ""));

  /** Where collectives are recorded. */
  public FlightRing collectives() {
    return file.collectives();
  }

  /** From now on recording throws. */
  public void lose() {
    bytes.limit(0);
  }

  /** What has been recorded of them. */
  public List<FlightRecord> recorded() {
    return FlightLog.decode(bytes).collectives();
  }
}
