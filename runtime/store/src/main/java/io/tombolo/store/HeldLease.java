// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DoAll;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.wire.HeldPart;
import io.tombolo.store.wire.PartReceiver;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** What one holder has of a version, and the way there. */
final class HeldLease implements AutoCloseable {
  /**
   * What is copied of a part.
   *
   * @param index of the part
   * @param box of the whole tensor, within that part
   * @param wanted what it is a piece of, and where to
   */
  record Piece(int index, Box box, WantedPart wanted) {
    private int elementBytes() {
      return wanted.target().spec().type().sizeBytes();
    }

    long sizeBytes() {
      return box.elements() * elementBytes();
    }

    private long to() {
      return wanted.target().address(0, wanted.target().spec().sizeBytes());
    }
  }

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

  /** Copies pieces to where they are wanted, in turns of the connection. */
  void copy(List<Piece> pieces) {
    Piece first = pieces.get(0);
    String what =
        pieces.size() == 1
            ? "get %s of '%s'".formatted(first.box(), first.wanted().name())
            : "get %s pieces of version %s".formatted(pieces.size(), held.version());
    List<ImmutableList<Piece>> turns = Turns.of(pieces, Piece::sizeBytes);
    holder.link().run(what, () -> move(turns.get(0)));
    turns.stream().skip(1).forEach(turn -> holder.link().goOn(what, () -> move(turn)));
  }

  /**
   * Runs what needs this lease; whether it was done. If the holder has gone, this fails only if it
   * is missed.
   *
   * @param isElsewhere whether others have all that is needed of it, too
   */
  boolean succeeds(Runnable step, BooleanSupplier isElsewhere) {
    try {
      step.run();
      return true;
    } catch (PeerFailedException | DeadlineExceededException e) {
      if (isLost() && isElsewhere.getAsBoolean()) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Fails if what was copied until now may be anything: if the holder has withdrawn it, or has
   * gone.
   */
  void check() {
    holder.link().run(readOn(), this::requireHeld);
  }

  /** Likewise at the end of a call that has copied, which waits for its turn as {@link #copy}. */
  void checkCopied() {
    holder.link().goOn(readOn(), this::requireHeld);
  }

  private String readOn() {
    return "read on in version " + held.version();
  }

  private Void requireHeld() throws IOException {
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
    return null;
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

  private Void move(List<Piece> pieces) throws IOException {
    List<Piece> asked = new ArrayList<>();
    for (Piece each : pieces) {
      HeldPart part = part(each);
      if (isShared(part)) {
        copy(part, each);
      } else if (!isRead(part, each)) {
        asked.add(each);
      }
    }
    if (!asked.isEmpty()) {
      receive(asked);
    }
    return null;
  }

  private void copy(HeldPart part, Piece piece) {
    int size = piece.elementBytes();
    long to = piece.to();
    long from = address(part);
    BoxRuns.of(part.part().box(), piece.wanted().part(), piece.box())
        .forEach(
            (source, destination, elements) ->
                NativeMemory.copy(to + destination * size, from + source * size, elements * size));
  }

  /** Whether it has come one-sidedly. What is not in the holder's own memory no device has. */
  private boolean isRead(HeldPart part, Piece piece) throws IOException {
    if (part.offset().isEmpty()) {
      return false;
    }
    OptionalInt read =
        reads.bring(
            piece.index(),
            "'%s' of version %s".formatted(piece.wanted().name(), held.version()),
            BoxRuns.of(part.part().box(), piece.wanted().part(), piece.box()),
            piece.elementBytes(),
            piece.to());
    if (read.isPresent()) {
      compare(piece, read.getAsInt());
    }
    return read.isPresent();
  }

  private void receive(List<Piece> asked) throws IOException {
    ImmutableList<Integer> arrived = arrived(asked);
    for (int index = 0; index < asked.size(); index++) {
      compare(asked.get(index), arrived.get(index));
    }
  }

  private ImmutableList<Integer> arrived(List<Piece> asked) throws IOException {
    VolumeLink link = holder.link();
    try (PartReceiver receiver = new PartReceiver(link.link())) {
      return PartStream.receive(link, asked.stream().map(each -> coming(receiver, each)).toList());
    } catch (AbortedException e) {
      throw withdrawn(e);
    }
  }

  private PartStream.Part coming(PartReceiver receiver, Piece piece) {
    HeldPart part = part(piece);
    TensorSpec whole = part.part().tensor().spec();
    Box within = piece.box().relativeTo(part.part().box());
    long to = piece.to();
    return new PartStream.Part(
        new VolumeRequest.Read(held.lease(), piece.index(), within),
        whole.part(piece.box()).sizeBytes(),
        () -> receiver.receive(whole, piece.wanted().part(), to, piece.box()));
  }

  private void compare(Piece piece, int arrived) throws IOException {
    HeldPart part = part(piece);
    if (piece.box().equals(part.part().box()) && arrived != part.checksum()) {
      requireHeld(); // zeros come for what its program has taken back meanwhile
      throw changed(part, arrived);
    }
  }

  private HeldPart part(Piece piece) {
    return held.parts().get(piece.index());
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

  /** Whether it has been given back. */
  boolean isClosed() {
    return closed;
  }

  /**
   * Gives it back; harmless the second time, and once the connection is lost. If the holder cannot
   * be told, this stays open.
   */
  @Override
  public void close() {
    if (!closed) {
      holder.release(held.lease());
      closed = true;
    }
  }

  /** Gives leases back after {@code failure}, which is what the caller has to hear. */
  static void closeAfter(RuntimeException failure, List<HeldLease> leases) {
    try {
      DoAll.each(leases, HeldLease::close);
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
