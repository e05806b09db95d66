// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertTrue;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.SlotGeometry;

/** A rank that speaks version 1 of the handshake, as builds did before there was a welcome. */
public final class FormerBuild {
  private FormerBuild() {}

  /** The first it says on {@code channelId}. */
  public static byte[] hello(int rank, int peer, long channelId, SlotGeometry geometry) {
    return new Hello(1, 1, rank, peer, channelId, geometry).encode(JobToken.nonce());
  }

  /** Rank {@code own}'s error names the version of rank {@code former}, its own, and the remedy. */
  public static void assertIsNamed(TomboloException error, int former, int own) {
    String message = error.getMessage();
    assertTrue(
        message.contains("rank " + former + " speaks versions 1 to 1")
            && message.contains("rank " + own + " speaks version " + Hello.VERSION)
            && message.contains("run the same build everywhere"),
        message);
  }
}
