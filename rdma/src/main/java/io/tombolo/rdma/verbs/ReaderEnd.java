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
 */
public final class ReaderEnd implements AutoCloseable {
  /** One request's bytes: enough to keep the NIC busy while the next one is begun. */
  static final int REQUEST_BYTES = 1 << 22;

  /** How often to look before the thread sleeps: some microseconds. */
  private static final int LOOKS = 64;

  /** How long it sleeps, at most, until it looks whether it is aborted or its device failed. */
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

  /** What the read that is on is of, how much, and until when: for errors. */
  private RemoteMemory reading;

  private long readingBytes;
  private Deadline deadline;

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
   * <p>If it fails, those bytes of {@code to} may be anything. If that has {@linkplain #isBroken
   * broken} the way, the NIC may still write there until this end is closed.
   *
   * @param until how long it waits
   * @throws io.tombolo.base.errors.UsageException if the bytes are not inside, before any moves
   * @throws AbortedException if {@code from} is withdrawn, which may break the way; or by {@link
   *     #abort}, or if the thread is interrupted
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
      Deadline until) {
    long source = from.address(offset, sizeBytes);
    long target = to.address(toOffset, sizeBytes);
    ReadCard card = peer.orElseThrow(() -> new IllegalStateException("not connected yet"));
    reading = from;
    readingBytes = sizeBytes;
    deadline = until;
    if (isBroken()) {
      throw new PeerFailedException(
          what() + ": the way there is broken (" + failure + "); make another");
    }
    checkWait();
    long generation;
    try {
      move(target, to.localKey(), sizeBytes, source, from.key());
      generation = generationNow(card);
    } catch (RuntimeException | Error e) {
      breakDown(e);
      throw e;
    }
    if (generation != from.generation()) {
      throw withdrawn(what() + " came too late, after " + elapsedMs() + " ms");
    }
  }

  /** Whether a read has failed so that nothing more can be read: both sides then make new ends. */
  public boolean isBroken() {
    return !failure.isEmpty();
  }

  /**
   * What the cell holds now. It is asked for after all bytes are here, and not behind them in the
   * queue: a NIC may fetch what two requests ask for in any order.
   */
  private long generationNow(ReadCard card) {
    long cell = card.cells() + (long) reading.cell() * Long.BYTES;
    word.setVolatile(~reading.generation());
    move(word.address(), wordRegion.localKey(), Long.BYTES, cell, card.key());
    return word.getVolatile();
  }

  private void move(long to, int localKey, long sizeBytes, long from, int remoteKey) {
    long posted = 0;
    int underWay = 0;
    while (posted < sizeBytes || underWay > 0) {
      while (posted < sizeBytes && underWay < ReadPair.DEPTH) {
        int part = (int) Math.min(REQUEST_BYTES, sizeBytes - posted);
        pair.read(to + posted, localKey, part, from + posted, remoteKey);
        posted += part;
        underWay++;
      }
      pair.flush();
      underWay -= take();
    }
  }

  /** Waits until a request has finished; how many have. */
  private int take() {
    int looks = 0;
    int found = pair.poll(0);
    while (found == 0) {
      checkWait();
      if (looks < LOOKS) {
        looks++;
        Thread.onSpinWait();
        found = pair.poll(0);
      } else {
        found = pair.poll(Math.min(SLEEP_MS, deadline.waitMs()));
        checkDevice();
      }
    }
    for (int i = 0; i < found; i++) {
      if (pair.status(i) != WorkCompletions.SUCCESS) {
        throw refused(pair.status(i));
      }
    }
    return found;
  }

  private void checkWait() {
    if (aborted || Thread.currentThread().isInterrupted()) {
      throw new AbortedException(
          what() + " was given up by this process after " + elapsedMs() + " ms; read it again");
    }
    if (deadline.isExpired()) {
      throw new DeadlineExceededException(
          what() + " has not ended: " + deadline + "; look at the holder, or give it longer");
    }
  }

  private void checkDevice() {
    synchronized (nic) {
      nic.events().progress();
      try {
        nic.events().checkDevice();
      } catch (FabricException e) {
        throw e.during(what());
      }
    }
  }

  private TomboloException refused(int status) {
    String how = what() + " failed after " + elapsedMs() + " ms: " + pair.statusText(status);
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

  private String what() {
    return "reading %s bytes of %s from %s".formatted(readingBytes, reading.what(), holder);
  }

  private long elapsedMs() {
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
   * Gives up the read that another thread may be in, and all later ones, within a tenth of a
   * second. May be called from any thread, until this is closed.
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
