// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.JobToken;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.net.InetSocketAddress;
import java.util.Optional;

/** A reader's way to one holder. */
record HolderLink(VolumeLink link, VolumeMemory memory, VolumeReads reads)
    implements AutoCloseable {
  static HolderLink open(InetSocketAddress address, JobToken token, StoreOptions options) {
    VolumeLink link = VolumeLink.open(address, token, options.timeout());
    return new HolderLink(
        link,
        VolumeMemory.of(link.welcome(), options.sharesMemory()),
        new VolumeReads(options.reads(), link));
  }

  /** What it shows, once that is {@code atLeast} or later; empty if it is not after so long. */
  Optional<HeldLease> lease(String stateDict, long atLeast, int waitMs) {
    return link.run(
        "wait for its part of state dict '%s'".formatted(stateDict),
        () -> {
          Reply reply = link.ask(new VolumeRequest.OpenHeld(stateDict, atLeast, waitMs));
          if (reply instanceof Reply.NotYet) {
            return Optional.empty();
          } else if (reply instanceof Reply.Held held && held.version() >= atLeast) {
            return Optional.of(new HeldLease(this, held));
          }
          throw link.strange(reply);
        });
  }

  /** As {@link VolumeLink#giveBack} does. */
  void release(long lease) {
    link.giveBack("give a lease back", new VolumeRequest.Release(lease));
  }

  @Override
  public void close() {
    link.stop(); // so that a read that is given up is not asked for
    reads.abort();
    link.close();
    reads.close();
    memory.close();
  }
}
