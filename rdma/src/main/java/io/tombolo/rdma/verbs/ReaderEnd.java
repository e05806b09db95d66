// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import java.util.Optional;

/**
 * The reader's end of the way to one holder: it gets exposed bytes from there, one call at a time.
 * Used by one thread at a time, but for {@link #abort}.
 *
 * <p>A read that fails otherwise than by a mistake of the caller's may break the way: then every
 * later one fails at once, and both sides make other ends.
 */
public final class ReaderEnd implements AutoCloseable {
  /** One request's bytes: enough to keep the NIC busy while the next one is begun. */
  private static final int REQUEST_BYTES = 1 << 24;

  /** How often to look before the thread sleeps: some microseconds. */
  private static final int LOOKS = 64;

  /** How long it sleeps, at most, before it looks whether it is aborted, or the device failed. */
  private static final int SLEEP_MS = 50;

  private final String holder;
  private final NicPort nic;
  private final NativeMemory memory;
  private final LongCell word;
  private final MemoryRegion wordRegion;
  private final ReadPair pair;
  private Optional<ReadCard> peer = Optional.empty();
  private String failure = "";
  private volatile boolean aborted;

  ReaderEnd(String holder, NicPort nic) {
    this.holder = holder;
    this.nic = nic;
    synchronized (nic) {
      try (CloseStack stack = new CloseStack()) {
        memory = stack.opened(NativeMemory.allocate(Long.BYTES));
        wordRegion = stack.opened(nic.domain().register(memory, Access.LOCAL_WRITE));
        pair = stack.opened(new ReadPair(nic, 0));
        stack.keep();
      }
    }
    word = memory.cell(0);
  }

  /** What the holder has to know. */
  public byte[] card() {
    return pair.card(Optional.empty()).encode();
  }

  /**
   * Connects to the holder who has sent {@code holdersCard}, once; it has connected before.
   *
   * @throws CorruptException if that is no card
   * @throws io.tombolo.base.errors.UnavailableException if its port is on another network
   */
  public void connect(byte[] holdersCard) {
    ReadCard card = ReadCard.decode(holdersCard);
    pair.connect(card);
    peer = Optional.of(card);
  }

  /**
   * Gets {@code sizeBytes} of what the holder exposes, from {@code offset} on, into {@code to} from
   * {@code toOffset} on. When it returns, they are what was exposed, all of them: {@code from} had
   * not been withdrawn when the last of them left.
   *
   * <p>If it fails, what was there in {@code to} may be anything; and unless the failure is a
   * {@code UsageException}, the NIC may still write there until this end is closed.
   *
   * @param deadline until when it waits
   * @throws io.tombolo.base.errors.UsageException if the bytes are not inside, before any moves
   * @throws AbortedException if {@code from} is withdrawn, which does not always break the way; or
   *     by {@link #abort}, or if the thread is interrupted
   * @throws DeadlineExceededException if it takes longer
   * @throws PeerFailedException if the holder has gone, or the way broke before
   * @throws FabricException if the NIC fails
   */
  public void read(
      RemoteMemory from,
      long offset,
      ReadTarget to,
      long toOffset,
      long sizeBytes,
      Deadline deadline) {
    long source = from.address(offset, sizeBytes);
    long target = to.address(toOffset, sizeBytes);
    requireWhole(from, sizeBytes);
    ReadCard card = peer.orElseThrow(() -> new IllegalStateException("not connected yet"));
    long generation;
    try {
      String what = "reading %s bytes of %s from %s".formatted(sizeBytes, from.what(), holder);
      move(what, target, to.localKey(), sizeBytes, source, from.key(), deadline);
      generation = generationNow(what, card, from, deadline);
    } catch (RuntimeException | Error e) {
      breakDown(e);
      throw e;
    }
    if (generation != from.generation()) {
      throw withdrawn(
          "%s bytes of %s from %s were read too late".formatted(sizeBytes, from.what(), holder));
    }
  }

  private void requireWhole(RemoteMemory from, long sizeBytes) {
    if (!failure.isEmpty()) {
      throw new PeerFailedException(
          "the way to %s is broken (%s), so %s bytes of %s cannot be read; make another"
              .formatted(holder, failure, sizeBytes, from.what()));
    }
  }

  /**
   * What the cell of {@code from} holds now. It is asked for after all bytes are here, and not
   * behind them in the queue: a NIC may fetch what two requests ask for in any order.
   */
  private long generationNow(String what, ReadCard card, RemoteMemory from, Deadline deadline) {
    long cell = card.cells() + (long) from.cell() * Long.BYTES;
    word.setVolatile(~from.generation());
    move(what, word.address(), wordRegion.localKey(), Long.BYTES, cell, card.key(), deadline);
    return word.getVolatile();
  }

  private void move(
      String what,
      long to,
      int localKey,
      long sizeBytes,
      long from,
      int remoteKey,
      Deadline deadline) {
    long posted = 0;
    int underWay = 0;
    while (posted < sizeBytes || underWay > 0) {
      for (; posted < sizeBytes && underWay < ReadPair.DEPTH; underWay++) {
        int part = (int) Math.min(REQUEST_BYTES, sizeBytes - posted);
        pair.read(to + posted, localKey, part, from + posted, remoteKey);
        posted += part;
      }
      pair.flush();
      underWay -= take(what, deadline);
    }
  }

  /** Waits until a read has finished; how many have. */
  private int take(String what, Deadline deadline) {
    for (int looks = 0; ; looks++) {
      int found = pair.poll(looks < LOOKS ? 0 : Math.min(SLEEP_MS, deadline.waitMs()));
      for (int i = 0; i < found; i++) {
        if (pair.status(i) != WorkCompletions.SUCCESS) {
          throw refused(what, pair.status(i), deadline);
        }
      }
      if (found > 0) {
        return found;
      }
      checkWait(what, deadline);
      if (looks < LOOKS) {
        Thread.onSpinWait();
      } else {
        checkDevice(what);
      }
    }
  }

  private void checkWait(String what, Deadline deadline) {
    if (aborted || Thread.currentThread().isInterrupted()) {
      throw new AbortedException(
          "%s was given up by this process after %s ms; read it again"
              .formatted(what, elapsedMs(deadline)));
    }
    if (deadline.isExpired()) {
      throw new DeadlineExceededException(
          "%s has not ended: %s; look at the holder, or give it longer".formatted(what, deadline));
    }
  }

  private void checkDevice(String what) {
    synchronized (nic) {
      nic.events().progress();
      try {
        nic.events().checkDevice();
      } catch (FabricException e) {
        throw e.during(what);
      }
    }
  }

  private TomboloException refused(String what, int status, Deadline deadline) {
    String how =
        "%s failed after %s ms: %s (raw code %s)"
            .formatted(what, elapsedMs(deadline), pair.statusText(status), status);
    if (status == WorkCompletions.REMOTE_ACCESS) {
      return withdrawn(how);
    }
    synchronized (nic) {
      nic.events().progress();
      nic.events().check(how); // a port or device of ours that has failed says so itself
    }
    return status == WorkCompletions.NO_ANSWER
        ? new PeerFailedException(how + "; is the holder still there? Connect again once it is")
        : new FabricException(how + "; read it another way", status);
  }

  private static AbortedException withdrawn(String how) {
    return new AbortedException(
        how + "; the holder has withdrawn it: open it again once it is shown");
  }

  private static long elapsedMs(Deadline deadline) {
    return deadline.elapsedNs() / 1_000_000;
  }

  private void breakDown(Throwable cause) {
    failure = String.valueOf(cause.getMessage());
    try {
      pair.abort();
    } catch (TomboloException e) {
      cause.addSuppressed(e); // closing it tries again
    }
  }

  /**
   * Gives up the read that another thread may be in, and all later ones, within {@value #SLEEP_MS}
   * ms. May be called from any thread, until this is closed.
   */
  public void abort() {
    aborted = true;
  }

  /** Ends it, between reads: the NIC touches no memory for it any more. */
  @Override
  public void close() {
    pair.close();
    synchronized (nic) {
      wordRegion.close();
    }
    memory.close();
  }
}
