// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leave for the peer to write the payloads of coming slots where they belong. Each is a memory
 * window of its own, opened on just the bytes of one slot's payload and closed when that slot is
 * released: a key opens nothing before, after or beside it.
 */
final class Grants implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Grants.class);

  /** Requests for one slot that may be under way: to open, to tell and to close, twice. */
  static final int REQUESTS = 6;

  private final NicPort nic;
  private final Registrations registrations;
  private final RcPair pair;
  private final GrantCells cells;
  private final MemoryWindow[] windows;
  private final Registration[] targets;
  private final int[] bytes;
  private final int[] underWay;
  private final Queue<Registration> closing = new ArrayDeque<>();
  private boolean lacksWindows;

  Grants(NicPort nic, Registrations registrations, RcPair pair, GrantCells cells, int slots) {
    this.nic = nic;
    this.registrations = registrations;
    this.pair = pair;
    this.cells = cells;
    windows = new MemoryWindow[slots];
    targets = new Registration[slots];
    bytes = new int[slots];
    underWay = new int[slots];
  }

  /** Whether this NIC can limit a key to a slot's payload. */
  static boolean canBeGiven(NicPort nic) {
    return nic.hasWindows();
  }

  /** Opens a window for the payload of {@code sequence} and tells the peer, if that can be. */
  boolean give(int slot, long sequence, LocalMemory target, long position, int sizeBytes) {
    if (targets[slot] != null || underWay[slot] + 3 > REQUESTS) {
      return false;
    }
    Optional<Registration> found = registrations.find(target);
    if (found.isEmpty()) {
      return false;
    }
    if (windows[slot] == null && !makeWindow(slot)) {
      return false;
    }
    long address = found.get().address(target.blockOffset() + position);
    int key = pair.open(windows[slot], found.get().region(), address, sizeBytes, slot);
    cells.write(slot, sequence, address, key, sizeBytes);
    pair.grant(slot, sequence);
    found.get().use();
    targets[slot] = found.get();
    bytes[slot] = sizeBytes;
    underWay[slot] += 2;
    return true;
  }

  /** A device has windows for so many, and other users: without one the payload is staged. */
  private boolean makeWindow(int slot) {
    if (lacksWindows) {
      return false;
    }
    try {
      windows[slot] = nic.domain().window();
    } catch (TomboloException e) {
      lacksWindows = true;
      log.warn("payloads are staged over {}: {}", nic, e.getMessage());
    }
    return !lacksWindows;
  }

  /** Checks that the peer may say that it has put {@code payloadBytes} in their place. */
  void checkPlaced(int slot, int payloadBytes) {
    if (targets[slot] == null || payloadBytes > bytes[slot]) {
      throw new CorruptException(
          "the peer claims to have placed "
              + payloadBytes
              + " bytes where it was granted "
              + (targets[slot] == null ? 0 : bytes[slot]));
    }
  }

  /** Closes the window of a slot that is released. */
  void end(int slot) {
    Registration target = targets[slot];
    if (target != null) {
      pair.close(windows[slot], target.region(), slot);
      closing.add(target);
      targets[slot] = null;
      underWay[slot]++;
    }
  }

  /** A window of {@code slot} is open, or the peer has been told of it. */
  void onDone(int slot) {
    underWay[slot]--;
  }

  /** The window of {@code slot} is closed; windows close in the order they were told to. */
  void onClosed(int slot) {
    underWay[slot]--;
    closing.remove().leave();
  }

  /** Whether no request for a window is under way. */
  boolean isQuiet() {
    return closing.isEmpty() && Arrays.stream(underWay).allMatch(requests -> requests == 0);
  }

  /** Refuses to go on with messages whose memory was freed under way. */
  void check() {
    for (int slot = 0; slot < targets.length; slot++) {
      if (targets[slot] != null && targets[slot].isFreed()) {
        throw new UsageException(
            "memory was freed while a message was being received into it; keep it until the"
                + " message is complete");
      }
    }
  }

  /** The queue pair must be closed: nothing writes any more. */
  @Override
  public void close() {
    for (int slot = 0; slot < windows.length; slot++) {
      if (windows[slot] != null) {
        windows[slot].close();
      }
      if (targets[slot] != null) {
        targets[slot].leave();
        targets[slot] = null;
      }
    }
    closing.forEach(Registration::leave);
    closing.clear();
  }
}
