// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.cast.Source;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** A put: room for all tensors, their bytes, and the commit. */
final class Putting {
  /** Brings bytes to the room that was made for them; their checksums. */
  private interface Mover {
    ImmutableList<Integer> move(Reply.Granted room) throws IOException;
  }

  /** Narrowed at once, to be sent from the caches. */
  private static final int BLOCK_BYTES = 256 << 10;

  private final VolumeLink volume;
  private final VolumeMemory memory;

  Putting(VolumeLink volume, VolumeMemory memory) {
    this.volume = volume;
    this.memory = memory;
  }

  /** The version that was made; {@code known} are checksums that tensors must have. */
  long put(String stateDict, Map<String, Source> tensors, Map<String, Integer> known)
      throws IOException {
    known.keySet().forEach(name -> requireAmong(tensors, name));
    ImmutableList<Source> values = ImmutableList.copyOf(tensors.values());
    values.forEach(Source::check);
    ImmutableList<NamedSpec> specs =
        tensors.entrySet().stream()
            .map(entry -> new NamedSpec(entry.getKey(), entry.getValue().spec()))
            .collect(ImmutableList.toImmutableList());
    VolumeRequest.Begin begin = new VolumeRequest.Begin(stateDict, specs);
    Optional<NativeMemory> mapped = memory.writable();
    if (mapped.isPresent()) {
      return put(begin, known, room -> copy(mapped.get(), room, values));
    }
    try (NativeMemory block = NativeMemory.allocate(BLOCK_BYTES)) {
      return put(begin, known, room -> send(block, room, values));
    }
  }

  private static void requireAmong(Map<String, Source> tensors, String name) {
    if (!tensors.containsKey(name)) {
      throw new UsageException("a checksum of '%s', which is not put".formatted(name));
    }
  }

  private long put(VolumeRequest.Begin begin, Map<String, Integer> known, Mover mover)
      throws IOException {
    Reply granted = volume.ask(begin);
    if (!(granted instanceof Reply.Granted room)
        || room.offsets().size() != begin.tensors().size()) {
      throw volume.strange(granted);
    }
    ImmutableList<Integer> moved = mover.move(room);
    Optional<CorruptException> wrong = differing(begin.tensors(), moved, known);
    if (wrong.isPresent()) {
      volume.tell(new VolumeRequest.Abort(room.put()));
      throw wrong.get();
    }
    Reply committed = volume.ask(new VolumeRequest.Commit(room.put(), moved));
    if (!(committed instanceof Reply.Committed done)) {
      throw volume.strange(committed);
    }
    return done.version();
  }

  /** The first tensor that has another checksum than it must have. */
  private static Optional<CorruptException> differing(
      ImmutableList<NamedSpec> tensors, ImmutableList<Integer> moved, Map<String, Integer> known) {
    for (int index = 0; index < tensors.size(); index++) {
      NamedSpec tensor = tensors.get(index);
      int found = moved.get(index);
      int wanted = known.getOrDefault(tensor.name(), found);
      if (found != wanted) {
        return Optional.of(
            new CorruptException(
                "'%s' (%s) is not what its checksum was computed of: that is %08x, and what has moved has %08x; copy it from there again, and put that"
                    .formatted(tensor.name(), tensor.spec(), wanted, found)));
      }
    }
    return Optional.empty();
  }

  private ImmutableList<Integer> copy(
      NativeMemory mapped, Reply.Granted room, ImmutableList<Source> values) throws IOException {
    ImmutableList.Builder<Integer> checksums = ImmutableList.builder();
    try {
      for (int index = 0; index < values.size(); index++) {
        long size = values.get(index).spec().sizeBytes();
        long to = VolumeMemory.address(mapped, room.offsets().get(index), size);
        checksums.add(values.get(index).copyTo(to));
      }
    } catch (RuntimeException e) {
      volume.tell(new VolumeRequest.Abort(room.put()));
      throw e;
    }
    return checksums.build();
  }

  private ImmutableList<Integer> send(
      NativeMemory block, Reply.Granted room, ImmutableList<Source> values) throws IOException {
    volume.tell(new VolumeRequest.Send(room.put()));
    ImmutableList.Builder<Integer> checksums = ImmutableList.builder();
    for (Source value : values) {
      checksums.add(volume.whole(() -> send(block, value)));
    }
    return checksums.build();
  }

  private int send(NativeMemory block, Source value) throws IOException {
    long size = value.spec().sizeBytes();
    Checksum checksum = new Checksum();
    if (value instanceof Source.Plain plain) {
      volume.link().send(plain.tensor().address(0, size), size, checksum);
      return checksum.value();
    }
    int each = value.spec().type().sizeBytes();
    for (long done = 0; done < size; done += BLOCK_BYTES) {
      long length = Math.min(BLOCK_BYTES, size - done);
      value.fill(block.address(), done / each, length / each);
      volume.link().send(block.address(), length, checksum);
    }
    return checksum.value();
  }
}
