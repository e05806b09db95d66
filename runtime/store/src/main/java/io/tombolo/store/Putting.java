// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.NativeMemory;
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
  private final VolumeLink volume;
  private final VolumeMemory memory;

  Putting(VolumeLink volume, VolumeMemory memory) {
    this.volume = volume;
    this.memory = memory;
  }

  /** The version that was made. */
  long put(String stateDict, Map<String, HostTensor> tensors) throws IOException {
    ImmutableList<NamedSpec> specs =
        tensors.entrySet().stream()
            .map(entry -> new NamedSpec(entry.getKey(), entry.getValue().spec()))
            .collect(ImmutableList.toImmutableList());
    ImmutableList<HostTensor> values = ImmutableList.copyOf(tensors.values());
    Reply granted = volume.ask(new VolumeRequest.Begin(stateDict, specs));
    if (!(granted instanceof Reply.Granted room) || room.offsets().size() != values.size()) {
      throw volume.strange(granted);
    }
    Reply committed = volume.ask(new VolumeRequest.Commit(room.put(), move(room, values)));
    if (!(committed instanceof Reply.Committed done)) {
      throw volume.strange(committed);
    }
    return done.version();
  }

  private ImmutableList<Integer> move(Reply.Granted room, ImmutableList<HostTensor> values)
      throws IOException {
    Optional<NativeMemory> mapped = memory.writable();
    return mapped.isPresent() ? copy(mapped.get(), room, values) : send(room, values);
  }

  private ImmutableList<Integer> copy(
      NativeMemory mapped, Reply.Granted room, ImmutableList<HostTensor> values)
      throws IOException {
    ImmutableList.Builder<Integer> checksums = ImmutableList.builder();
    try {
      for (int index = 0; index < values.size(); index++) {
        long size = values.get(index).spec().sizeBytes();
        long to = VolumeMemory.address(mapped, room.offsets().get(index), size);
        checksums.add(Checksum.ofCopy(to, values.get(index).address(0, size), size));
      }
    } catch (RuntimeException e) {
      volume.tell(new VolumeRequest.Abort(room.put()));
      throw e;
    }
    return checksums.build();
  }

  private ImmutableList<Integer> send(Reply.Granted room, ImmutableList<HostTensor> values)
      throws IOException {
    volume.tell(new VolumeRequest.Send(room.put()));
    ImmutableList.Builder<Integer> checksums = ImmutableList.builder();
    for (HostTensor value : values) {
      long size = value.spec().sizeBytes();
      Checksum checksum = new Checksum();
      volume.link().send(value.address(0, size), size, checksum);
      checksums.add(checksum.value());
    }
    return checksums.build();
  }
}
