// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Bytes;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's way to a volume's memory past its process, where both have a device for one-sided
 * reads. Bytes come to a block of this process, and are copied from there while they are in a
 * cache: so no device ever has memory of the caller's.
 *
 * <p>What does not come this way is asked for over the connection, which is always right, and says
 * what was wrong. A way that breaks is made anew, but for a few times only if nothing comes over
 * it.
 *
 * <p>Used in the calls of its link, one at a time, but for {@link #abort}. Closed after the link.
 */
final class VolumeReads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeReads.class);

  /** Shorter runs are gathered by the volume, and sent together. */
  static final int LEAST_RUN_BYTES = 64 << 10;

  /** Bytes of one read: long enough for the wire, and short enough to stay in a cache. */
  private static final int LANDING_BYTES = 4 << 20;

  /** Ways in a row that break with nothing read: a network that swallows packets costs time. */
  private static final int TRIES = 3;

  /**
   * Refused keys in a row with nothing read. Each breaks its way as well, which is well itself: the
   * volume has withdrawn what was read. Only a device that refuses all comes so far.
   */
  static final int REFUSALS = 32;

  /** An end, and what all that it reads comes to. */
  private record Way(OneSidedReads.Reader reader, OneSidedReads.Landing landing) {
    /** The reader first: until it is closed, the device may write to the landing. */
    void close() {
      reader.close();
      landing.close();
    }
  }

  private final Optional<OneSidedReads> device;
  private final VolumeLink volume;
  private Optional<NativeMemory> landing = Optional.empty();
  private volatile Optional<Way> way = Optional.empty();
  private volatile boolean aborted;
  private int broken;
  private int refused;
  private boolean givenUp;

  VolumeReads(Optional<OneSidedReads> device, VolumeLink volume) {
    this.device = device;
    this.volume = volume;
  }

  /** Whether there is a way for runs that long; makes it if it can. */
  boolean reaches(long runBytes) throws IOException {
    if (device.isEmpty() || givenUp || runBytes < LEAST_RUN_BYTES) {
      return false;
    }
    return way.isPresent() || connects(device.get());
  }

  /** What opens tensor {@code index} of a lease; empty if it is not read so. */
  Optional<byte[]> key(long lease, int index) throws IOException {
    Reply reply = volume.inquire(new VolumeRequest.Expose(lease, index));
    if (reply instanceof Reply.Exposed exposed) {
      return Optional.of(Bytes.toArray(exposed.key()));
    } else if (reply instanceof Reply.Refused refused) {
      LOG.debug("{} does not expose tensor {}: {}", volume.where(), index, refused.message());
      return Optional.empty();
    }
    throw volume.strange(reply);
  }

  /**
   * Copies runs of a tensor to host address {@code to}; the CRC-32C of what has come, in the order
   * of the runs. Empty if it has not all come: then what is there may be anything.
   *
   * @param what names the tensor in errors
   * @param key what opens it
   * @param runs from the tensor's memory to what begins at {@code to}
   * @param elementBytes of each of its elements
   */
  OptionalInt bring(String what, byte[] key, BoxRuns runs, int elementBytes, long to) {
    Checksum checksum = new Checksum();
    try {
      runs.forEach(
          (source, target, elements) ->
              bring(
                  what,
                  key,
                  source * elementBytes,
                  to + target * elementBytes,
                  elements * elementBytes,
                  checksum));
      return OptionalInt.of(checksum.value());
    } catch (TomboloException e) {
      LOG.debug("{} is asked for over the connection: {}", what, e.getMessage());
      if (way.orElseThrow().reader().isBroken()) {
        onBroken(e);
      }
      return OptionalInt.empty();
    }
  }

  private void onBroken(TomboloException cause) {
    if (cause instanceof AbortedException) {
      refused++;
    } else {
      broken++;
    }
    if (broken >= TRIES || refused >= REFUSALS) {
      giveUp(cause.getMessage());
    } else {
      end();
    }
  }

  private void bring(
      String what, byte[] key, long offset, long to, long sizeBytes, Checksum checksum) {
    OneSidedReads.Landing target = way.orElseThrow().landing();
    long from = landing.orElseThrow().address();
    for (long done = 0; done < sizeBytes; done += LANDING_BYTES) {
      int length = (int) Math.min(LANDING_BYTES, sizeBytes - done);
      target.read(what, key, offset + done, length, Deadline.after(volume.timeout()));
      broken = 0;
      refused = 0;
      NativeMemory.copy(to + done, from, length);
      checksum.add(NativeMemory.viewOf(from, length));
    }
  }

  private boolean connects(OneSidedReads reads) throws IOException {
    if (!succeeds(() -> open(reads))) {
      return false;
    }
    OneSidedReads.Reader reader = way.orElseThrow().reader();
    ImmutableList<Byte> card = ImmutableList.copyOf(Bytes.asList(reader.card()));
    Reply reply = volume.inquire(new VolumeRequest.Reach(card));
    if (reply instanceof Reply.Reached reached) {
      return succeeds(() -> reader.connect(Bytes.toArray(reached.card())));
    } else if (reply instanceof Reply.Refused refused) {
      giveUp(refused.message());
      return false;
    }
    throw volume.strange(reply);
  }

  private void open(OneSidedReads reads) {
    try (CloseStack stack = new CloseStack()) {
      OneSidedReads.Reader made = stack.opened(reads.reader(volume.where()));
      way = Optional.of(new Way(made, made.landing(block())));
      if (aborted) {
        made.abort(); // it came before there was anything to abort
      }
      stack.keep();
    }
  }

  private boolean succeeds(Runnable step) {
    try {
      step.run();
      return true;
    } catch (TomboloException e) {
      giveUp(e.getMessage());
      return false;
    }
  }

  /** Says so, once for a connection: as a warning to who has asked for one-sided reads. */
  private void giveUp(String reason) {
    String text = "{} is read over the connection: {}";
    if (device.map(OneSidedReads::isAskedFor).orElse(false) && !aborted) {
      LOG.warn(text, volume.where(), reason);
    } else {
      LOG.debug(text, volume.where(), reason);
    }
    givenUp = true;
    end();
  }

  private MemoryBlock block() {
    NativeMemory memory = landing.orElseGet(() -> NativeMemory.allocate(LANDING_BYTES));
    landing = Optional.of(memory);
    return new MemoryBlock(LANDING_BYTES, () -> new MemoryExport.Host(memory.address()));
  }

  /** A device that does not let go of the landing keeps it: it is not used any more, nor freed. */
  private void end() {
    try {
      way.ifPresent(Way::close);
    } catch (TomboloException e) {
      LOG.warn(
          "one-sided reads from {} do not end, and are given up: {}",
          volume.where(),
          e.getMessage());
      givenUp = true;
      landing = Optional.empty();
    }
    way = Optional.empty();
  }

  /** Gives up the read that another thread may be in, and all later ones. Thread-safe. */
  void abort() {
    aborted = true;
    way.ifPresent(made -> made.reader().abort());
  }

  @Override
  public void close() {
    end();
    landing.ifPresent(NativeMemory::close);
    landing = Optional.empty();
  }
}
