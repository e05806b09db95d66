// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * Where one rank sits.
 *
 * @param rank its number in the job, from 0
 * @param vendor the vendor string it published; ranks are clustered by equality of this string
 * @param architecture what keeps it apart from ranks of the same vendor, whose collective library
 *     does not join them in one communicator; empty where nothing does
 * @param hostId a name of its host that no other host shares
 * @param oneHostOnly whether its collective library joins ranks of one host only
 * @param device its device, in the vendor's words
 */
public record RankSite(
    int rank,
    String vendor,
    String architecture,
    String hostId,
    boolean oneHostOnly,
    String device) {

  /** A rank whose vendor's library joins all devices of that vendor, on all hosts. */
  public RankSite(int rank, String vendor, String hostId, String device) {
    this(rank, vendor, "", hostId, false, device);
  }

  /** Checks that the rank is a rank and that the vendor says something. */
  public RankSite {
    checkArgument(rank >= 0, "a rank is not negative: %s", rank);
    checkArgument(!vendor.isBlank(), "rank %s published an empty vendor string", rank);
  }
}
