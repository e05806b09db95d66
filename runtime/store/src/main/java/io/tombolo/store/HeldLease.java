// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.HeldPart;
import io.tombolo.store.wire.PartReceiver;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.OptionalInt;

/** What one holder has of a version, and the way there. */
final class HeldLease implements AutoCloseable {
  private final HolderLink holder;
  private final Reply.Held held;
  private final LeaseReads reads;
  private boolean closed;

  HeldLease(HolderLink holder, Reply.Held held) {
    this.holder = holder;
    this.held = held;
    this.reads = new LeaseReads(holder.reads(), held.lease());
  }

  HolderLink holder() {
    return holder;
  }

  Reply.Held held() {
    return held;
  }

  /** Whether the way there has ended: nothing more comes from there. */
  boolean isLost() {
    return holder.link().isLost();
  }

  private Optional<NativeMemory> mapped() {
    return holder.memory().readable();
  }

  /** Whether a part lies in memory that is shared with this process. */
  boolean isShared(HeldPart part) {
    return mapped().isPresent() && part.offset().isPresent();
  }

  /** Where a part that is shared lies in this process. */
  long address(HeldPart part) {
    TensorSpec spec = part.part().tensor().spec().part(part.part().box());
    long offset = part.offset().orElseThrow();
    return VolumeMemory.address(mapped().orElseThrow(), offset, spec.sizeBytes());
  }

  /** Copies {@code piece} of part {@code index} into {@code target}, which is {@code wanted}. */
  void copy(int index, Box piece, Box wanted, HostTensor target) {
    holder
        .link()
        .run(
            "get %s of '%s'".formatted(piece, held.parts().get(index).part().tensor().name()),
            () -> move(index, piece, wanted, target));
  }

  /**
   * Fails if what was copied until now may be anything: if the holder has withdrawn it, or has
   * gone.
   */
  void check() {
    holder
        .link()
        .run(
            "read on in version " + held.version(),
            () -> {
              requireHeld();
              return null;
            });
  }

  private void requireHeld() throws IOException {
    VolumeLink link = holder.link();
    Optional<NativeMemory> mapped = mapped();
    if (mapped.isPresent()) {
      requireFence(mapped.get());
      link.requireAlive();
    } else {
      Reply reply = ask(new VolumeRequest.Confirm(held.lease()));
      if (!(reply instanceof Reply.Intact)) {
        throw link.strange(reply);
      }
    }
  }

  private void requireFence(NativeMemory mapped) {
    VarHandle.acquireFence(); // what was copied was read before the word is
    long word = VolumeMemory.address(mapped, held.fence().offset(), Long.BYTES);
    if (NativeMemory.cellAt(word).getVolatile() != held.fence().value()) {
      throw withdrawn(null);
    }
  }

  /** Asks what a holder refuses only if the lease is void. */
  private Reply ask(VolumeRequest request) throws IOException {
    try {
      return holder.link().ask(request);
    } catch (AbortedException e) {
      throw withdrawn(e);
    }
  }

  private AbortedException withdrawn(AbortedException cause) {
    return new AbortedException(
        "%s has withdrawn version %s: what was read of it may be anything; open it again once it is shown"
            .formatted(holder.link().where(), held.version()),
        cause);
  }

  private Void move(int index, Box piece, Box wanted, HostTensor target) throws IOException {
    HeldPart part = held.parts().get(index);
    long to = target.address(0, target.spec().sizeBytes());
    if (isShared(part)) {
      int size = target.spec().type().sizeBytes();
      long from = address(part);
      BoxRuns.of(part.part().box(), wanted, piece)
          .forEach(
              (source, destination, elements) ->
                  NativeMemory.copy(
                      to + destination * size, from + source * size, elements * size));
    } else {
      bring(index, piece, wanted, to);
    }
    return null;
  }

  private void bring(int index, Box piece, Box wanted, long to) throws IOException {
    HeldPart part = held.parts().get(index);
    Box box = part.part().box();
    TensorSpec whole = part.part().tensor().spec();
    // what is not in the holder's own memory no device has
    OptionalInt read =
        part.offset().isPresent()
            ? reads.bring(
                index,
                "'%s' of version %s".formatted(part.part().tensor().name(), held.version()),
                BoxRuns.of(box, wanted, piece),
                whole.type().sizeBytes(),
                to)
            : OptionalInt.empty();
    int arrived = read.isPresent() ? read.getAsInt() : receive(index, whole, piece, wanted, to);
    if (piece.equals(box) && arrived != part.checksum()) {
      requireHeld(); // zeros come for what its program has taken back meanwhile
      throw changed(part, arrived);
    }
  }

  private int receive(int index, TensorSpec whole, Box piece, Box wanted, long to)
      throws IOException {
    VolumeLink link = holder.link();
    Box box = held.parts().get(index).part().box();
    try (PartReceiver receiver = new PartReceiver(link.link())) {
      Reply reply = ask(new VolumeRequest.Read(held.lease(), index, piece.relativeTo(box)));
      if (!(reply instanceof Reply.BytesFollow bytes)
          || bytes.sizeBytes() != whole.part(piece).sizeBytes()) {
        throw link.strange(reply);
      }
      return link.whole(() -> receiver.receive(whole, wanted, to, piece));
    }
  }

  /** Compares a part's bytes, where they lie, with their checksum. */
  void verify(int index) {
    HeldPart part = held.parts().get(index);
    VolumeLink link = holder.link();
    link.run(
        "verify its part of '%s'".formatted(part.part().tensor().name()),
        () -> {
          Reply reply = ask(new VolumeRequest.Check(held.lease(), index));
          if (!(reply instanceof Reply.Checksum now)) {
            throw link.strange(reply);
          }
          if (now.value() != part.checksum()) {
            throw changed(part, now.value());
          }
          return null;
        });
  }

  private CorruptException changed(HeldPart part, int checksum) {
    return new CorruptException(
        "%s of '%s' from %s is not what it shows: its checksum is %08x, not %08x; get it again"
            .formatted(
                part.part().box(),
                part.part().tensor().name(),
                holder.link().where(),
                checksum,
                part.checksum()));
  }

  /** Gives it back; harmless the second time, and once the connection is lost. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      holder.release(held.lease());
    }
  }
}
