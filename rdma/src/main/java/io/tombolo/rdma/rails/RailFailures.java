// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.util.Optional;

/** Why rails have failed: an error tells of the first, as the cause of the others perhaps. */
final class RailFailures {
  private Optional<TomboloException> cause = Optional.empty();
  private String first = "";
  private String last = "";

  /**
   * Whether {@code e} of a rail's channel is no fault of the rail: whose calls differ, whose memory
   * is gone or whose device does not copy cannot be helped by another. What a NIC has no room for
   * while its channel opens, another one may have.
   */
  static boolean isOfTheChannel(TomboloException e, boolean wasOpen) {
    return e instanceof CorruptException
        || e instanceof MismatchException
        || e instanceof UsageException
        || e instanceof AbortedException
        || e instanceof VendorException
        || (e instanceof ResourceException && wasOpen);
  }

  /** One more, which this side has found. */
  void add(String rail, TomboloException why) {
    if (first.isEmpty()) {
      cause = Optional.of(why);
    }
    add(rail, why.getMessage());
  }

  /** One more. */
  void add(String rail, String why) {
    last = ": " + rail + ": " + why;
    first = first.isEmpty() ? last : first;
  }

  /** For the end of an error's text; empty if none has failed. */
  String first() {
    return first;
  }

  /** For the end of a line in the log. */
  String last() {
    return last;
  }

  /** The error of a channel that has none of its {@code rails} left. */
  TomboloException allOf(int rails) {
    String what = "all " + rails + " rails have failed" + first;
    return cause.orElse(null) instanceof FabricException own // a NIC of ours
        ? FabricException.of(what, own)
        : new PeerFailedException(what, cause.orElse(null));
  }
}
