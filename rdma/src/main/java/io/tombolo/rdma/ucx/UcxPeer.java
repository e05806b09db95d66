// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpRequestParams;
import org.openucx.jucx.ucp.UcpWorker;

/**
 * The way to another process's UCX. All links to that process share it, because UCX pairs the
 * endpoints of two workers as it likes.
 */
final class UcxPeer {
  private final ByteBuffer address;
  private final UcpEndpoint endpoint;
  private int users;
  private boolean haste;
  private boolean closing;
  private UcpRequest flush;
  private UcpRequest close;
  private int status = UcxStatus.OK;
  private String problem = "";

  /** Connects to {@code remote}. */
  UcxPeer(UcpWorker worker, byte[] remote) {
    this.address = ByteBuffer.allocateDirect(remote.length).put(remote).flip();
    UcpEndpointParams params =
        new UcpEndpointParams()
            .setUcpAddress(address)
            .setPeerErrorHandlingMode()
            .setErrorHandler((failed, code, text) -> fail(code, text));
    try {
      this.endpoint = worker.newEndpoint(params);
    } catch (UcxException e) {
      throw UcxStatus.error("connecting", e.getStatus(), e.getMessage());
    }
  }

  /**
   * Sends a message; header and payload stay as they are until the result is completed. A failure
   * is the peer's, and there is no result then.
   */
  UcpRequest send(long header, long payload, int payloadBytes, UcpRequestParams kind) {
    if (isFailed()) {
      return null;
    }
    try {
      return endpoint.sendAmNonBlocking(
          UcxEngine.MESSAGE_ID, header, UcxHeader.SIZE_BYTES, payload, payloadBytes, 0, null, kind);
    } catch (UcxException e) {
      fail(e.getStatus(), e.getMessage());
      return null;
    }
  }

  /** Whether UCX is done with all of these; null stands for nothing to do. */
  static boolean areCompleted(UcpRequest... requests) {
    for (UcpRequest request : requests) {
      if (request != null && !request.isCompleted()) {
        return false;
      }
    }
    return true;
  }

  boolean isAt(byte[] remote) {
    return address.equals(ByteBuffer.wrap(remote));
  }

  boolean isFailed() {
    return status != UcxStatus.OK;
  }

  /** UCX's code of the failure, 0 without one. */
  int status() {
    return status;
  }

  /** UCX's words of the failure. */
  String problem() {
    return problem;
  }

  void fail(int code, String text) {
    if (status == UcxStatus.OK) {
      status = code;
      problem = text;
    }
  }

  void retain() {
    users++;
  }

  /**
   * One user less. The last one ends the way: after what was sent has left, unless one of them had
   * to go {@code inHaste}. Then {@link #isGone} has to be asked until it is.
   */
  void release(boolean inHaste) {
    users--;
    haste |= inHaste;
    if (users == 0) {
      flush = haste ? null : request(() -> endpoint.flushNonBlocking(null));
    }
  }

  /** Takes the end forward; whether UCX knows nothing of this way any more. */
  boolean isGone() {
    if (users > 0) {
      return false;
    }
    if (!closing && areCompleted(flush)) {
      end();
    }
    return closing && areCompleted(close);
  }

  /** Ends the way now, whoever uses it: what UCX still does for them ends with an error. */
  void end() {
    if (!closing) {
      users = 0;
      closing = true;
      close = request(endpoint::closeNonBlockingForce);
    }
  }

  boolean isInUse() {
    return users > 0;
  }

  private UcpRequest request(Supplier<UcpRequest> operation) {
    try {
      return operation.get();
    } catch (UcxException e) {
      fail(e.getStatus(), e.getMessage());
      return null;
    }
  }
}
