// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.UsageException;
import java.util.Optional;

/** Payloads of outgoing slots that the NIC reads where the messages lie. */
final class Borrowed {
  private final Registrations registrations;
  private final Registration[] sources;
  private final long[] addresses;

  Borrowed(Registrations registrations, int slots) {
    this.registrations = registrations;
    this.sources = new Registration[slots];
    this.addresses = new long[slots];
  }

  /**
   * Whether the NIC can take the payload of {@code slot} from {@code position} of a message.
   *
   * @throws UsageException if that memory was freed
   */
  boolean take(int slot, LocalMemory source, long position) {
    if (source.block().isPresent() && source.block().get().isFreed()) {
      throw freed();
    }
    Optional<Registration> found = registrations.find(source);
    if (found.isEmpty()) {
      return false;
    }
    found.get().use();
    sources[slot] = found.get();
    addresses[slot] = found.get().address(source.blockOffset() + position);
    return true;
  }

  boolean has(int slot) {
    return sources[slot] != null;
  }

  long address(int slot) {
    return addresses[slot];
  }

  int localKey(int slot) {
    return sources[slot].region().localKey();
  }

  /** Whether the memory that the payload of {@code slot} is in was freed under way. */
  boolean isFreed(int slot) {
    return sources[slot] != null && sources[slot].isFreed();
  }

  /** The NIC has read it, or never will. */
  void giveBack(int slot) {
    if (sources[slot] != null) {
      sources[slot].leave();
      sources[slot] = null;
    }
  }

  /** Refuses to go on with messages whose memory was freed under way. */
  void check() {
    for (Registration source : sources) {
      if (source != null && source.isFreed()) {
        throw freed();
      }
    }
  }

  /** What is wrong with memory that {@link #isFreed}. */
  static UsageException freed() {
    return new UsageException(
        "memory was freed while it was being sent; keep it until the message is complete");
  }

  void close() {
    for (int slot = 0; slot < sources.length; slot++) {
      giveBack(slot);
    }
  }
}
