// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;

/**
 * What the user of a channel has posted, and is told of: completions as long as there are any, then
 * the error the channel has failed with.
 */
public final class Postings {
  private final TransferQueue sends = new TransferQueue();
  private final TransferQueue receives = new TransferQueue();
  private TomboloException failure;

  /** Nothing is posted. */
  public Postings() {}

  /** Messages to the peer. */
  public TransferQueue sends() {
    return sends;
  }

  /** Messages from the peer. */
  public TransferQueue receives() {
    return receives;
  }

  /** Posts a message; false if there is no room; throws the error of a channel that has failed. */
  public boolean send(long tag, LocalMemory memory, long offset, long sizeBytes) {
    throwIfFailed();
    return sends.offer(tag, memory, offset, sizeBytes);
  }

  /** Expects a message, as {@link #send} posts one. */
  public boolean receive(long tag, LocalMemory memory, long offset, long sizeBytes) {
    throwIfFailed();
    return receives.offer(tag, memory, offset, sizeBytes);
  }

  /** Reports what is complete, see {@link Channel#poll}. */
  public int poll(Channel.Completions completions) {
    int reported = 0;
    for (; sends.hasUnreported(); reported++) {
      PostedMessage sent = sends.report();
      completions.onSent(sent.tag(), sent.sizeBytes());
    }
    for (; receives.hasUnreported(); reported++) {
      PostedMessage received = receives.report();
      completions.onReceived(received.tag(), received.sizeBytes());
    }
    if (reported == 0) {
      throwIfFailed();
    }
    return reported;
  }

  /** The channel has failed; whether it had not before. The first error is the one that counts. */
  public boolean fail(TomboloException error) {
    boolean first = failure == null;
    failure = first ? error : failure;
    return first;
  }

  /** Whether the channel has failed. */
  public boolean hasFailed() {
    return failure != null;
  }

  /** Throws the channel's error, if it has failed. */
  public void throwIfFailed() {
    if (failure != null) {
      throw failure;
    }
  }
}
