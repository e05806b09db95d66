// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.cast.Source;
import io.tombolo.store.cast.Sources;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.memory.PartChecksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.Allotment;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.PartSender;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

/** One writer's part in a put of several: it comes, waits for the others, writes, waits again. */
final class JointPutting {
  /** What this writer has of a tensor, and what of that it is to write. */
  private record Share(String name, PartSpec part, Source source, Allotment allotment) {}

  /** Writes a part that lies at a host address; what it adds to the whole's checksum. */
  private interface Write {
    int from(long address) throws IOException;
  }

  private final VolumeLink volume;
  private final VolumeMemory memory;
  private final String stateDict;
  private final JointWriter writer;
  private final String what;

  JointPutting(VolumeLink volume, VolumeMemory memory, String stateDict, JointWriter writer) {
    this.volume = volume;
    this.memory = memory;
    this.stateDict = stateDict;
    this.writer = writer;
    this.what =
        "put its part of round '%s' of state dict '%s', as writer %s of %s"
            .formatted(writer.round(), stateDict, writer.writer(), writer.writers());
  }

  /** The version that was made, of parts that have the checksums that are known. */
  long put(Sources sources, KnownChecksums known) {
    known.requireAmong(sources.bytes().keySet());
    long put = volume.run(what, () -> join(sources.parts()));
    Reply outcome = outcome(put, sources, known);
    if (outcome instanceof Reply.Refused refused) {
      throw refused.error();
    }
    if (outcome instanceof Reply.Committed committed) {
      return committed.version();
    }
    throw volume.strange(outcome);
  }

  private Reply outcome(long put, Sources sources, KnownChecksums known) {
    try {
      Reply next = await(put, "come");
      if (!(next instanceof Reply.Allotted allotted)) {
        return next;
      }
      ImmutableList<Share> shares = shares(allotted, sources, known);
      volume.run(what, () -> write(put, shares, known));
      return await(put, "finished");
    } catch (RuntimeException | Error e) { // a maker may throw anything
      Optional<Reply> last = leave(put, e);
      if (last.isPresent() && last.get() instanceof Reply.Committed committed) {
        return committed; // the last of the others finished at the last moment
      }
      throw e;
    }
  }

  private long join(Map<String, PartSpec> parts) throws IOException {
    ImmutableList<NamedPart> named =
        parts.entrySet().stream()
            .map(each -> named(each.getKey(), each.getValue()))
            .collect(ImmutableList.toImmutableList());
    Reply reply =
        volume.ask(
            new VolumeRequest.Join(
                stateDict,
                writer.round(),
                writer.writers(),
                writer.writer(),
                writer.patienceMs(),
                memory.writable().isPresent(),
                named));
    if (reply instanceof Reply.Joined joined) {
      return joined.put();
    }
    throw volume.strange(reply);
  }

  private static NamedPart named(String name, PartSpec part) {
    return new NamedPart(new NamedSpec(name, part.whole()), part.box());
  }

  /** What is next, once all others have come, or finished. */
  private Reply await(long put, String done) {
    Deadline deadline = Deadline.after(writer.patience());
    long mostMs = Math.max(1, volume.timeout().toMillis() / 2);
    while (true) {
      int waitMs = (int) Math.min(mostMs, deadline.remainingMs());
      Reply reply =
          volume.run(what, () -> volume.inquire(new VolumeRequest.AwaitJoint(put, waitMs)));
      if (!(reply instanceof Reply.Awaiting awaiting)) {
        return reply;
      }
      if (deadline.isExpired()) {
        throw new DeadlineExceededException(
            "writers %s of %s have not %s within %s ms, so %s could not %s; do they run, and do they"
                    .formatted(
                        awaiting.writers(),
                        writer.writers(),
                        done,
                        writer.patienceMs(),
                        volume.where(),
                        what)
                + " name the same round?");
      }
    }
  }

  /** All that can be wrong with what is there already is found before bytes are on their way. */
  private ImmutableList<Share> shares(
      Reply.Allotted allotted, Sources sources, KnownChecksums known) {
    if (allotted.parts().size() != sources.parts().size()) {
      throw volume.strange(allotted);
    }
    ImmutableList.Builder<Share> shares = ImmutableList.builder();
    Iterator<Allotment> allotments = allotted.parts().iterator();
    sources
        .bytes()
        .forEach(
            (name, source) -> {
              PartSpec part = sources.parts().get(name);
              Allotment allotment = allotments.next();
              source.check();
              for (Box box : allotment.boxes()) {
                if (box.dimensions() != part.box().dimensions() || !part.box().contains(box)) {
                  throw volume.strange(allotted);
                }
              }
              if (source instanceof Source.Plain plain) {
                known.compare(name, plain.tensor());
              }
              shares.add(new Share(name, part, source, allotment));
            });
    return shares.build();
  }

  private Void write(long put, ImmutableList<Share> shares, KnownChecksums known)
      throws IOException {
    Optional<NativeMemory> mapped = memory.writable();
    ImmutableList.Builder<Integer> sums = ImmutableList.builder();
    if (mapped.isPresent()) {
      for (Share share : shares) {
        sums.add(withBytes(share, known, address -> copy(mapped.get(), share, address)));
      }
    } else {
      try (PartSender sender = new PartSender(volume.link())) {
        sums.addAll(send(put, sender, shares, known));
      }
    }
    volume.tell(new VolumeRequest.Finish(put, sums.build()));
    return null;
  }

  /**
   * Makes a share's bytes, if they are not there and wanted, for as long as {@code write} takes.
   */
  private static int withBytes(Share share, KnownChecksums known, Write write) throws IOException {
    if (share.allotment().boxes().isEmpty()) {
      return write.from(0);
    }
    Optional<HostTensor> lying = share.source().lying();
    if (lying.isPresent()) {
      if (share.source() instanceof Source.Late) {
        known.compare(share.name(), lying.get());
      }
      return write.from(lying.get().address(0, lying.get().spec().sizeBytes()));
    }
    HostTensor made = HostTensor.allocate(share.source().spec());
    try (NativeMemory memory = made.memory()) {
      int unused = share.source().copyTo(memory.address());
      return write.from(memory.address());
    }
  }

  private static int copy(NativeMemory mapped, Share share, long from) {
    TensorSpec whole = share.part().whole();
    int size = whole.type().sizeBytes();
    long to = VolumeMemory.address(mapped, share.allotment().offset(), whole.sizeBytes());
    int sums = 0;
    for (Box box : share.allotment().boxes()) {
      PartChecksum sum = new PartChecksum();
      BoxRuns.of(share.part().box(), whole.whole(), box)
          .forEach(
              (source, target, elements) -> {
                long length = elements * size;
                int crc = Checksum.ofCopy(to + target * size, from + source * size, length);
                sum.add(target * size, length, crc);
              });
      sums ^= sum.of(whole.sizeBytes());
    }
    return sums;
  }

  /** What has yet to be made is announced by itself, as it may fail between two parts. */
  private ImmutableList<Integer> send(
      long put, PartSender sender, ImmutableList<Share> shares, KnownChecksums known)
      throws IOException {
    boolean allThere = shares.stream().allMatch(each -> each.source() instanceof Source.Plain);
    int atOnce = allThere ? shares.size() : 1;
    ImmutableList.Builder<Integer> sums = ImmutableList.builder();
    for (int index = 0; index < shares.size(); index++) {
      Share share = shares.get(index);
      boolean begins = index % atOnce == 0;
      boolean ends = (index + 1) % atOnce == 0;
      sums.add(
          withBytes(
              share,
              known,
              address -> {
                if (begins) {
                  volume.tell(new VolumeRequest.SendBoxes(put, atOnce));
                }
                return volume.whole(() -> send(sender, share, address, ends));
              }));
    }
    return sums.build();
  }

  private static int send(PartSender sender, Share share, long from, boolean ends)
      throws IOException {
    int sums = 0;
    for (Box box : share.allotment().boxes()) {
      sums ^= sender.send(share.part().whole(), share.part().box(), from, box);
    }
    if (ends) {
      sender.flush();
    }
    return sums;
  }

  /** The volume's last word on the version, if it can be had. */
  private Optional<Reply> leave(long put, Throwable failure) {
    try {
      String reason = String.valueOf(failure.getMessage());
      return Optional.of(
          volume.run(what, () -> volume.inquire(new VolumeRequest.Leave(put, reason))));
    } catch (TomboloException e) {
      failure.addSuppressed(e);
      return Optional.empty();
    }
  }
}
