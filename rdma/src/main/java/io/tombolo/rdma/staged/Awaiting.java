package io.tombolo.rdma.staged;

import java.io.IOException;
import java.util.Optional;

/** Waits until the peer has dialled and proved itself. */
final class Awaiting implements Opening {
  private final Medium medium;
  private final Greeter greeter;
  private final int peer;
  private final long channelId;

  Awaiting(Medium medium, Greeter greeter, int peer, long channelId) {
    this.medium = medium;
    this.greeter = greeter;
    this.peer = peer;
    this.channelId = channelId;
  }

  @Override
  public Optional<SlotLink> progress() throws IOException {
    Optional<Guest> guest = greeter.take(peer, channelId);
    return guest.isEmpty()
        ? Optional.empty()
        : Optional.of(medium.link(guest.get().socket(), guest.get().geometry(), false));
  }

  @Override
  public String doing() {
    return "it has not dialled" + greeter.refusals();
  }

  @Override
  public void close() {}
}
