// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.HostPinner;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.SlotRing;

/**
 * The memory of a reliable connection: what the NIC reads (the outgoing ring, our count of released
 * slots, our grants), and, registered on its own, what the peer writes (the same of its own).
 */
final class RcMemory implements AutoCloseable {
  private static final int CELL_BYTES = 64;

  private final NativeMemory ours;
  private final NativeMemory theirs;
  private final HostPinner.Pin oursPinned;
  private final HostPinner.Pin theirsPinned;
  private final MemoryRegion readByUs;
  private final MemoryRegion writtenByPeer;
  private final SlotRing out;
  private final SlotRing in;
  private final LongCell ourCount;
  private final LongCell peersCount;
  private final GrantCells ourGrants;
  private final GrantCells peersGrants;
  private final long ringBytes;
  private boolean staysMapped;

  RcMemory(ProtectionDomain domain, SlotGeometry geometry, HostPinner pinner) {
    ringBytes = SlotRing.sizeBytes(geometry);
    long sizeBytes = ringBytes + CELL_BYTES + (long) geometry.slots() * GrantCells.SIZE_BYTES;
    try (CloseStack stack = new CloseStack()) {
      ours = stack.opened(NativeMemory.allocate(sizeBytes));
      theirs = stack.opened(NativeMemory.allocate(sizeBytes));
      oursPinned = stack.opened(pinner.pin(ours.address(), ours.sizeBytes()));
      theirsPinned = stack.opened(pinner.pin(theirs.address(), theirs.sizeBytes()));
      readByUs = stack.opened(domain.register(ours, Access.LOCAL_WRITE));
      writtenByPeer =
          stack.opened(domain.register(theirs, Access.LOCAL_WRITE | Access.REMOTE_WRITE));
      stack.keep();
    }
    out = new SlotRing(ours, 0, geometry);
    in = new SlotRing(theirs, 0, geometry);
    ourCount = ours.cell(ringBytes);
    peersCount = theirs.cell(ringBytes);
    ourGrants = new GrantCells(ours, ringBytes + CELL_BYTES, geometry.slots());
    peersGrants = new GrantCells(theirs, ringBytes + CELL_BYTES, geometry.slots());
  }

  SlotRing out() {
    return out;
  }

  SlotRing in() {
    return in;
  }

  /** Where slot {@code sequence} begins in the outgoing ring. */
  long slotAddress(long sequence) {
    return ours.address() + slotOffset(sequence);
  }

  /** Where slot {@code sequence} begins in a ring. */
  long slotOffset(long sequence) {
    return out.index(sequence) * (ringBytes / out.slots());
  }

  int localKey() {
    return readByUs.localKey();
  }

  /** What the peer's writes must show. */
  int remoteKey() {
    return writtenByPeer.remoteKey();
  }

  long ringAddress() {
    return theirs.address();
  }

  /** Where the peer writes its count of released slots. */
  long cellAddress() {
    return theirs.address(ringBytes, CELL_BYTES);
  }

  /** Our grants, laid out to be sent. */
  GrantCells ourGrants() {
    return ourGrants;
  }

  /** The peer's grants, as it has written them here. */
  GrantCells peersGrants() {
    return peersGrants;
  }

  /** Where the grant for {@code slot} is, when the credit cell is at {@code cellAddress}. */
  static long grantAddress(long cellAddress, int slot) {
    return cellAddress + CELL_BYTES + (long) slot * GrantCells.SIZE_BYTES;
  }

  /** How many of our slots the peer has released. */
  long releasedByPeer() {
    return peersCount.getVolatile();
  }

  /** The address of {@code released}, laid out to be sent. */
  long countAt(long released) {
    ourCount.setVolatile(released);
    return ours.address(ringBytes, CELL_BYTES);
  }

  /** A device may copy into the rings, or out of them, for good: only the NIC lets go of them. */
  void keepMapped() {
    staysMapped = true;
  }

  @Override
  public void close() {
    readByUs.close();
    writtenByPeer.close();
    if (staysMapped) {
      return;
    }
    oursPinned.closeWith(ours);
    theirsPinned.closeWith(theirs);
  }
}
