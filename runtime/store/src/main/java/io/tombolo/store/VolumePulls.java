// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Bytes;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.cast.Source;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A volume's way to what this client puts, where both have a device for one-sided reads: the volume
 * reads it from a block of this process, to which it is copied piece by piece. The block is exposed
 * for as long as one put takes, and no device ever has memory of the caller's.
 *
 * <p>What does not go this way is sent over the connection, which is always right. A way that
 * breaks is made anew by the next put, but for a few times only if nothing goes over it.
 *
 * <p>Used in the calls of its link, one at a time. Closed after the link.
 */
final class VolumePulls implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VolumePulls.class);

  /** Shorter tensors are sent together. */
  static final int LEAST_BYTES = VolumeReads.LEAST_RUN_BYTES;

  /** Bytes that the volume reads at once, while the next ones are copied to the block. */
  static final int PIECE_BYTES = 2 << 20;

  private static final int BLOCK_BYTES = 2 * PIECE_BYTES;

  /** Ways in a row that break with nothing read: a network that swallows packets costs time. */
  private static final int TRIES = 3;

  private final Optional<OneSidedReads> device;
  private final VolumeLink volume;
  private Optional<NativeMemory> block = Optional.empty();
  private Optional<OneSidedReads.Holder> way = Optional.empty();
  private int broken;
  private boolean givenUp;

  VolumePulls(Optional<OneSidedReads> device, VolumeLink volume) {
    this.device = device;
    this.volume = volume;
  }

  /**
   * Has the volume read what it can of {@code put}. What cannot be made ends it between two
   * tensors, and leaves the connection as it is; whatever else it throws ends the connection.
   *
   * @return the checksums of those tensors that it has, by their numbers; all others are to be sent
   */
  Map<Integer, Integer> offer(long put, ImmutableList<Source> values) throws IOException {
    Map<Integer, Integer> checksums = new HashMap<>();
    if (values.stream().noneMatch(VolumePulls::isLong)) {
      return checksums;
    }
    Optional<OneSidedReads.Exposed> exposed = volume.whole(this::expose);
    if (exposed.isEmpty()) {
      return checksums;
    }
    try {
      ImmutableList<Byte> key = ImmutableList.copyOf(Bytes.asList(exposed.get().key()));
      for (int index = 0; way.isPresent() && index < values.size(); index++) {
        if (isLong(values.get(index))) {
          values.get(index).prepare();
          int number = index;
          OptionalInt checksum = volume.whole(() -> move(put, number, values.get(number), key));
          if (checksum.isPresent()) {
            checksums.put(index, checksum.getAsInt());
          }
        }
      }
    } finally {
      volume.whole(() -> withdraw(exposed.get()));
    }
    return checksums;
  }

  private static boolean isLong(Source value) {
    return value.spec().sizeBytes() >= LEAST_BYTES;
  }

  /** Its checksum; empty if the volume has not read all of it. */
  private OptionalInt move(long put, int index, Source value, ImmutableList<Byte> key)
      throws IOException {
    long size = value.spec().sizeBytes();
    int each = value.spec().type().sizeBytes();
    int waitMs = (int) Math.min(Integer.MAX_VALUE, Math.max(1, volume.timeout().toMillis() / 2));
    Checksum checksum = new Checksum();
    for (long done = 0; done < size; done += PIECE_BYTES) {
      int length = (int) Math.min(PIECE_BYTES, size - done);
      long from = done % BLOCK_BYTES; // the volume has read the piece before the last one
      long address = block.orElseThrow().address(from, length);
      value.fill(address, done / each, length / each);
      checksum.add(NativeMemory.viewOf(address, length));
      if (done > 0 && !isRead()) {
        return OptionalInt.empty();
      }
      volume.tell(new VolumeRequest.Pull(put, index, done, length, key, from, waitMs));
    }
    return isRead() ? OptionalInt.of(checksum.value()) : OptionalInt.empty();
  }

  /** Whether the volume has read the piece before. */
  private boolean isRead() throws IOException {
    Reply reply = volume.reply();
    if (reply instanceof Reply.Done) {
      broken = 0;
      return true;
    } else if (reply instanceof Reply.Refused refused) {
      if (refused.reason() != Reply.Reason.ONE_SIDED) {
        throw refused.error(); // the volume has no room to receive it in, either
      }
      LOG.debug("a put to {} goes on over the connection: {}", volume.where(), refused.message());
      onBroken(refused.message());
      return false;
    }
    throw volume.strange(reply);
  }

  private void onBroken(String reason) {
    broken++;
    if (broken >= TRIES) {
      giveUp(reason);
    } else {
      end();
    }
  }

  private boolean reaches() throws IOException {
    if (device.isEmpty() || givenUp) {
      return false;
    }
    return way.isPresent() || connects(device.get());
  }

  private boolean connects(OneSidedReads reads) throws IOException {
    Optional<OneSidedReads.Holder> made = tried(reads::holder);
    if (made.isEmpty()) {
      return false;
    }
    way = made;
    Reply reply = volume.inquire(new VolumeRequest.Dial());
    if (reply instanceof Reply.Reached reached) {
      Optional<byte[]> card = tried(() -> made.get().connect(Bytes.toArray(reached.card())));
      if (card.isEmpty()) {
        return false;
      }
      ImmutableList<Byte> shown = ImmutableList.copyOf(Bytes.asList(card.get()));
      reply = volume.inquire(new VolumeRequest.Connect(shown));
    }
    if (reply instanceof Reply.Refused refused) {
      giveUp(refused.message());
    } else if (!(reply instanceof Reply.Done)) {
      throw volume.strange(reply);
    }
    return way.isPresent();
  }

  private <T> Optional<T> tried(Supplier<T> step) {
    try {
      return Optional.of(step.get());
    } catch (TomboloException e) {
      giveUp(e.getMessage());
      return Optional.empty();
    }
  }

  /** The block, if there is a way to it. */
  private Optional<OneSidedReads.Exposed> expose() throws IOException {
    if (!reaches()) {
      return Optional.empty();
    }
    String what = "what is put to " + volume.where();
    return tried(() -> device.orElseThrow().expose(what, block()));
  }

  private MemoryBlock block() {
    NativeMemory memory = block.orElseGet(() -> NativeMemory.allocate(BLOCK_BYTES));
    block = Optional.of(memory);
    return new MemoryBlock(BLOCK_BYTES, () -> new MemoryExport.Host(memory.address()));
  }

  /** A device that does not let go of the block keeps it: it is not used any more, nor freed. */
  private Void withdraw(OneSidedReads.Exposed exposed) {
    try {
      exposed.close();
    } catch (TomboloException e) {
      block = Optional.empty();
      giveUp(e.getMessage());
    }
    return null;
  }

  /** Says so, once for a connection: as a warning to who has asked for one-sided reads. */
  private void giveUp(String reason) {
    String text = "what is put to {} takes the connection: {}";
    if (!givenUp && device.map(OneSidedReads::isAskedFor).orElse(false)) {
      LOG.warn(text, volume.where(), reason);
    } else {
      LOG.debug(text, volume.where(), reason);
    }
    givenUp = true;
    end();
  }

  private void end() {
    Optional<OneSidedReads.Holder> before = way;
    way = Optional.empty();
    try {
      before.ifPresent(OneSidedReads.Holder::close);
    } catch (TomboloException e) {
      LOG.warn("the way of {} to what is put does not end: {}", volume.where(), e.getMessage());
      givenUp = true;
    }
  }

  @Override
  public void close() {
    end();
    block.ifPresent(NativeMemory::close);
    block = Optional.empty();
  }
}
