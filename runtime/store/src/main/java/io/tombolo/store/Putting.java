// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.NativeMemory;
import io.tombolo.store.cast.Source;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
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
  private final VolumePulls pulls;

  Putting(VolumeLink volume, VolumeMemory memory, VolumePulls pulls) {
    this.volume = volume;
    this.memory = memory;
    this.pulls = pulls;
  }

  /** The version that was made, of what has the checksums that are known. */
  long put(String stateDict, Map<String, Source> tensors, KnownChecksums known) throws IOException {
    known.requireAmong(tensors.keySet());
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

  private long put(VolumeRequest.Begin begin, KnownChecksums known, Mover mover)
      throws IOException {
    Reply granted = volume.ask(begin);
    if (!(granted instanceof Reply.Granted room)
        || room.offsets().size() != begin.tensors().size()) {
      throw volume.strange(granted);
    }
    ImmutableList<Integer> moved;
    try {
      moved = mover.move(room);
      for (int index = 0; index < moved.size(); index++) {
        NamedSpec tensor = begin.tensors().get(index);
        known.compare(tensor.name(), tensor.spec(), moved.get(index));
      }
    } catch (RuntimeException | Error e) { // a maker may throw anything
      volume.tellAfter(e, new VolumeRequest.Abort(room.put()));
      throw e;
    }
    Reply committed = volume.ask(new VolumeRequest.Commit(room.put(), moved));
    if (!(committed instanceof Reply.Committed done)) {
      throw volume.strange(committed);
    }
    return done.version();
  }

  private static ImmutableList<Integer> copy(
      NativeMemory mapped, Reply.Granted room, ImmutableList<Source> values) {
    ImmutableList.Builder<Integer> checksums = ImmutableList.builder();
    for (int index = 0; index < values.size(); index++) {
      Source value = values.get(index);
      value.prepare(); // before there is an address: nobody else's code runs while it is used
      long to = VolumeMemory.address(mapped, room.offsets().get(index), value.spec().sizeBytes());
      checksums.add(value.copyTo(to));
    }
    return checksums.build();
  }

  private ImmutableList<Integer> send(
      NativeMemory block, Reply.Granted room, ImmutableList<Source> values) throws IOException {
    Map<Integer, Integer> read = pulls.offer(room.put(), values);
    boolean late = values.stream().anyMatch(Source.Late.class::isInstance);
    ImmutableList.Builder<Integer> checksums = ImmutableList.builder();
    int announced = 0;
    for (int index = 0; index < values.size(); index++) {
      Source value = values.get(index);
      Integer known = read.get(index);
      if (known == null) {
        value.prepare();
        if (index >= announced) {
          announced = late ? index + 1 : values.size(); // what cannot be made is not announced
          volume.tell(new VolumeRequest.Send(room.put(), index, announced - index));
        }
        known = volume.whole(() -> send(block, value));
      }
      checksums.add(known);
    }
    return checksums.build();
  }

  private int send(NativeMemory block, Source value) throws IOException {
    long size = value.spec().sizeBytes();
    Checksum checksum = new Checksum();
    Optional<HostTensor> lying = value.lying();
    if (lying.isPresent()) {
      volume.link().send(lying.get().address(0, size), size, checksum);
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
