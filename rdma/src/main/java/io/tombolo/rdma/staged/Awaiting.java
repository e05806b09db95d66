// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.OpenFiles;
import java.io.IOException;
import java.util.Optional;

/** Waits until the peer has dialled and proved itself. */
final class Awaiting implements Opening {
  private final Medium medium;
  private final Greeter greeter;
  private final int peer;
  private final long channelId;
  private final Deadline deadline;
  private boolean isAwaited = true;

  Awaiting(Medium medium, Greeter greeter, int peer, long channelId, Deadline deadline) {
    this.medium = medium;
    this.greeter = greeter;
    this.peer = peer;
    this.channelId = channelId;
    this.deadline = deadline;
    greeter.awaits(1);
  }

  @Override
  public Optional<MessageLink> progress(TransferQueue sends, TransferQueue receives)
      throws IOException {
    Optional<Guest> come = greeter.take(peer, channelId);
    if (come.isPresent()) {
      close();
    } else if (greeter.isShortOfFiles()) {
      throw OpenFiles.noneLeft("cannot accept the connection of rank " + peer);
    }
    return come.map(this::joined).map(joined -> link(joined, sends, receives));
  }

  private Joined joined(Guest guest) {
    return new Joined(
        peer,
        channelId,
        guest.socket(),
        guest.geometry(),
        false,
        guest.onTrial() ? Optional.of(deadline) : Optional.empty());
  }

  private MessageLink link(Joined joined, TransferQueue sends, TransferQueue receives) {
    try (CloseStack stack = new CloseStack()) {
      stack.opened(joined.socket());
      MessageLink link = medium.messages(joined, sends, receives);
      stack.keep();
      return link;
    }
  }

  @Override
  public String doing() {
    return "it has not dialled" + greeter.refusals();
  }

  @Override
  public void close() {
    if (isAwaited) {
      isAwaited = false;
      greeter.awaits(-1);
    }
  }
}
