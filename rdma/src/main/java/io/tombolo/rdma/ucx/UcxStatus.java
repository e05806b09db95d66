// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;

/** What UCX's status codes mean to us. The numbers are those of {@code ucs/type/status.h}. */
final class UcxStatus {
  static final int OK = 0;

  /** There is something to do first. */
  static final int BUSY = -15;

  /** UCX opens about so many when it starts, or meets a peer, and does not tell why it cannot. */
  static final long FILES = 32;

  private static final int UNREACHABLE = -6;
  private static final int TIMED_OUT = -20;
  private static final int NOT_CONNECTED = -24;
  private static final int CONNECTION_RESET = -25;
  private static final int ENDPOINT_TIMEOUT = -80;

  private static final ImmutableSet<Integer> PEER_WENT =
      ImmutableSet.of(TIMED_OUT, NOT_CONNECTED, CONNECTION_RESET, ENDPOINT_TIMEOUT);

  private UcxStatus() {}

  /** Whether the code says that the other process, its host or the way to it is gone. */
  static boolean isPeerGone(int status) {
    return PEER_WENT.contains(status);
  }

  /** The error of {@code operation}, which ended with {@code status}; {@code text} is UCX's. */
  static TomboloException error(String operation, int status, String text) {
    String message = operation + " failed: UCX says '" + text + "'";
    if (isPeerGone(status)) {
      return new PeerFailedException(
          message
              + " (raw code "
              + status
              + "); is its host up, and does a firewall stand between?");
    }
    if (OpenFiles.areFewerLeftThan(FILES)) {
      return OpenFiles.noneLeft(message + " (raw code " + status + ")");
    }
    return new FabricException(
        message
            + (status == UNREACHABLE
                ? "; on both sides, UCX_TLS must leave a transport between hosts, such as tcp, and"
                    + " UCX_NET_DEVICES an interface that leads to the other one"
                : "; UCX_LOG_LEVEL=info tells more"),
        status);
  }
}
