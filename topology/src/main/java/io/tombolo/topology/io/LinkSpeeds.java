// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

/**
 * What one link between accelerators carries, by generation, in megabytes per second and direction.
 *
 * <p>Sources: NVIDIA's data sheets (P100: NVLink 1, 20 GB/s; V100, A100, H100: 25 GB/s; RTX A6000:
 * 112.5 GB/s both ways over four links; B200: NVLink 5, 50 GB/s) and AMD's (MI100: 276 GB/s over
 * three links both ways; MI250: 100 GB/s both ways; MI300X: 128 GB/s; MI355X: 153.6 GB/s). NCCL
 * counts with about four fifths of that, which it measured (src/graph/topo.h).
 */
final class LinkSpeeds {
  private LinkSpeeds() {}

  /**
   * A link of an accelerator whose {@code sm} attribute says {@code generation}: NVIDIA's compute
   * capability ({@code 90}), or AMD's architecture as RCCL writes it ({@code 90402} is gfx942); 0
   * where it is not said.
   */
  static int megabytesPerSecond(boolean isXgmi, long generation) {
    return isXgmi ? xgmi(generation) : nvlink(generation);
  }

  private static int nvlink(long capability) {
    if (capability >= 100) {
      return 50_000;
    }
    if (capability == 86) {
      return 14_062;
    }
    return capability >= 60 && capability < 70 ? 20_000 : 25_000;
  }

  private static int xgmi(long architecture) {
    if (architecture == 90_008) {
      return 46_000;
    }
    if (architecture == 90_010) {
      return 50_000;
    }
    return architecture >= 90_500 ? 76_800 : 64_000;
  }
}
