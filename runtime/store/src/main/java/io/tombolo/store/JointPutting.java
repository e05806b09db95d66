// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.cast.Sources;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.memory.PartChecksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.PartSpec;
import io.tombolo.store.value.TensorPart;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One writer's part in a put of several: it comes, waits for the others, writes, waits again. */
final class JointPutting {
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
  long put(Map<String, TensorPart> parts, KnownChecksums known) {
    known.requireAmong(parts.keySet());
    long put = volume.run(what, () -> join(parts));
    Reply outcome = outcome(put, parts, known);
    if (outcome instanceof Reply.Refused refused) {
      throw refused.error();
    }
    if (outcome instanceof Reply.Committed committed) {
      return committed.version();
    }
    throw volume.strange(outcome);
  }

  /** Likewise, of what must be made first. */
  long put(Sources sources) {
    List<NativeMemory> made = new ArrayList<>();
    try {
      Map<String, TensorPart> parts = new LinkedHashMap<>();
      sources
          .bytes()
          .forEach(
              (name, source) -> {
                HostTensor held = HostTensor.allocate(source.spec());
                made.add(held.memory());
                int unused = source.copyTo(held.memory().address());
                PartSpec part = sources.parts().get(name);
                parts.put(name, new TensorPart(part.whole(), part.box(), held));
              });
      return put(parts, KnownChecksums.NONE);
    } finally {
      made.forEach(NativeMemory::close);
    }
  }

  private Reply outcome(long put, Map<String, TensorPart> named, KnownChecksums known) {
    ImmutableList<TensorPart> parts = ImmutableList.copyOf(named.values());
    try {
      Reply next = await(put, "come");
      if (!(next instanceof Reply.Allotted allotted)) {
        return next;
      }
      check(allotted, parts);
      compare(named, known);
      volume.run(what, () -> write(put, allotted.parts(), parts));
      return await(put, "finished");
    } catch (RuntimeException e) {
      Optional<Reply> last = leave(put, e);
      if (last.isPresent() && last.get() instanceof Reply.Committed committed) {
        return committed; // the last of the others finished at the last moment
      }
      throw e;
    }
  }

  private long join(Map<String, TensorPart> parts) throws IOException {
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

  private static NamedPart named(String name, TensorPart part) {
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

  /** All that can be wrong is found before bytes are on their way. */
  private void check(Reply.Allotted allotted, ImmutableList<TensorPart> parts) {
    if (allotted.parts().size() != parts.size()) {
      throw volume.strange(allotted);
    }
    for (int index = 0; index < parts.size(); index++) {
      TensorPart part = parts.get(index);
      part.held().address(0, part.held().spec().sizeBytes());
      for (Box box : allotted.parts().get(index).boxes()) {
        if (box.dimensions() != part.box().dimensions() || !part.box().contains(box)) {
          throw volume.strange(allotted);
        }
      }
    }
  }

  private static void compare(Map<String, TensorPart> parts, KnownChecksums known) {
    for (String name : known.byName().keySet()) {
      TensorSpec held = parts.get(name).held().spec();
      long address = parts.get(name).held().address(0, held.sizeBytes());
      known.compare(name, held, Checksum.of(address, held.sizeBytes()));
    }
  }

  private Void write(
      long put, ImmutableList<Allotment> allotments, ImmutableList<TensorPart> values)
      throws IOException {
    Optional<NativeMemory> mapped = memory.writable();
    ImmutableList.Builder<Integer> sums = ImmutableList.builder();
    if (mapped.isPresent()) {
      for (int index = 0; index < values.size(); index++) {
        sums.add(copy(mapped.get(), allotments.get(index), values.get(index)));
      }
    } else {
      try (PartSender sender = new PartSender(volume.link())) {
        volume.tell(new VolumeRequest.SendBoxes(put));
        sums.addAll(volume.whole(() -> send(sender, allotments, values)));
      }
    }
    volume.tell(new VolumeRequest.Finish(put, sums.build()));
    return null;
  }

  private static int copy(NativeMemory mapped, Allotment allotment, TensorPart part) {
    TensorSpec whole = part.whole();
    int size = whole.type().sizeBytes();
    long to = VolumeMemory.address(mapped, allotment.offset(), whole.sizeBytes());
    long from = part.held().address(0, part.held().spec().sizeBytes());
    int sums = 0;
    for (Box box : allotment.boxes()) {
      PartChecksum sum = new PartChecksum();
      BoxRuns.of(part.box(), whole.whole(), box)
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

  private static ImmutableList<Integer> send(
      PartSender sender, ImmutableList<Allotment> allotments, ImmutableList<TensorPart> values)
      throws IOException {
    ImmutableList.Builder<Integer> sums = ImmutableList.builder();
    for (int index = 0; index < values.size(); index++) {
      sums.add(send(sender, allotments.get(index), values.get(index)));
    }
    sender.flush();
    return sums.build();
  }

  private static int send(PartSender sender, Allotment allotment, TensorPart part)
      throws IOException {
    long from = part.held().address(0, part.held().spec().sizeBytes());
    int sums = 0;
    for (Box box : allotment.boxes()) {
      sums ^= sender.send(part.whole(), part.box(), from, box);
    }
    return sums;
  }

  /** The volume's last word on the version, if it can be had. */
  private Optional<Reply> leave(long put, RuntimeException failure) {
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
