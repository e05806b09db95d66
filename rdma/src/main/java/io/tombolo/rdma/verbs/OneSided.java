// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;

/**
 * Reads of other processes' memory over an RDMA device, in which their processors have no part. Who
 * holds memory {@linkplain #expose exposes} it, and has a {@link HolderEnd} for each reader; a
 * reader has a {@link ReaderEnd} for each holder. The two ends have to see each other's cards, the
 * holder's first, and the reader what is exposed. All of that travels by a connection of the
 * callers', on which both have proved that they may: who has an end can read all that is exposed.
 *
 * <pre>
 * reader → reader.card()          holder.connect(that)
 *          reader.connect(that) ← holder.card()
 *          reader.read(…)       ← exposure.remote()
 * </pre>
 *
 * <p>Thread-safe. To register much memory takes long, and holds up nobody else: the NIC's lock is
 * for its queue pairs and events alone. Whoever opens it closes it, after all that was made of it.
 */
public final class OneSided implements AutoCloseable {
  private final NicPort nic;
  private final GenerationCells cells;

  private OneSided(NicPort nic, GenerationCells cells) {
    this.nic = nic;
    this.cells = cells;
  }

  /**
   * Opens the device that {@code verbs} name, or the first one that can be used.
   *
   * @throws UnavailableException if there is none
   * @throws ResourceException if this process may not lock memory for it
   */
  public static OneSided open(VerbsSettings verbs) {
    return open(port(verbs));
  }

  /** The port that {@code verbs} name, or the first one that can be used, if it has connections. */
  static NicPort port(VerbsSettings verbs) {
    try (CloseStack stack = new CloseStack()) {
      NicPort nic =
          stack
              .opened(NicPort.open(verbs))
              .connecting(
                  "one-sided reads", "name another device (TOMBOLO_RDMA_DEVICE), or go without");
      stack.keep();
      return nic;
    }
  }

  /** On {@code opened}, which it takes, also if it fails. */
  static OneSided open(NicPort opened) {
    try (CloseStack stack = new CloseStack()) {
      NicPort nic = stack.opened(opened);
      OneSided made = new OneSided(nic, stack.opened(new GenerationCells(nic.domain())));
      stack.keep();
      return made;
    }
  }

  /**
   * Registers all of {@code block} for peers' reads, until it is withdrawn; the owner does that
   * before it writes there or frees it.
   *
   * @param what names it in errors
   * @throws UnsupportedException if the NIC cannot reach it, saying why
   * @throws ResourceException if too many are exposed
   */
  public Exposure expose(String what, MemoryBlock block) {
    int cell = cells.raise(); // first, as it costs nothing where too many are exposed
    try (CloseStack stack = new CloseStack()) {
      stack.opened(() -> cells.drop(cell));
      Registration made = stack.opened(registered(what, block, Access.REMOTE_READ));
      RemoteMemory remote =
          new RemoteMemory(
              what,
              made.address(0),
              block.sizeBytes(),
              made.region().remoteKey(),
              cell,
              cells.generation(cell));
      stack.keep();
      return new Exposure(made, cells, remote);
    }
  }

  /**
   * Registers all of {@code block} to be read into. A device may see what was read there only after
   * a flush of its own.
   *
   * @throws UnsupportedException if the NIC cannot reach it, saying why
   */
  public ReadTarget target(MemoryBlock block) {
    return new ReadTarget(registered("the memory to read into", block, Access.LOCAL_WRITE));
  }

  private Registration registered(String what, MemoryBlock block, int access) {
    Registration made = Registration.of(block, nic.domain(), access);
    if (made.reached().isEmpty()) {
      throw new UnsupportedException(
          "%s does not reach the %s bytes of %s: %s; copy them another way"
              .formatted(nic, block.sizeBytes(), what, made.refusal()));
    }
    return made;
  }

  /** An end for one more reader. */
  public HolderEnd holderEnd() {
    return new HolderEnd(nic, cells);
  }

  /** An end for reads from one more holder, which errors call {@code holder}. */
  public ReaderEnd readerEnd(String holder) {
    return new ReaderEnd(holder, nic);
  }

  /** The device and port, as tools name them. */
  @Override
  public String toString() {
    return nic.toString();
  }

  @Override
  public void close() {
    cells.close();
    nic.close();
  }
}
