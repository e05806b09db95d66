// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.PlacedPut;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Room for the tensors of a put in memory shared with the volume. Whoever made it copies them
 * there, row-major, and commits: all are visible then, at once. Nobody may write there after {@link
 * #commit} or {@link #close}. For one thread at a time.
 */
public final class OpenPut implements PlacedPut {
  /** Where a tensor belongs. */
  private record Room(long address, long sizeBytes) {}

  private final VolumeLink volume;
  private final AtomicInteger openPuts;
  private final long put;
  private final ImmutableMap<String, Room> rooms;
  private final Map<String, Integer> given = new HashMap<>();
  private boolean ended;

  private OpenPut(
      VolumeLink volume, AtomicInteger openPuts, long put, ImmutableMap<String, Room> rooms) {
    this.volume = volume;
    this.openPuts = openPuts;
    this.put = put;
    this.rooms = rooms;
    openPuts.incrementAndGet();
  }

  static OpenPut begin(
      VolumeLink volume,
      NativeMemory mapped,
      AtomicInteger openPuts,
      String stateDict,
      Map<String, TensorSpec> tensors)
      throws IOException {
    ImmutableList<NamedSpec> specs =
        tensors.entrySet().stream()
            .map(entry -> new NamedSpec(entry.getKey(), entry.getValue()))
            .collect(ImmutableList.toImmutableList());
    Reply granted = volume.ask(new VolumeRequest.Begin(stateDict, specs));
    if (!(granted instanceof Reply.Granted room) || room.offsets().size() != specs.size()) {
      throw volume.strange(granted);
    }
    ImmutableMap.Builder<String, Room> rooms = ImmutableMap.builder();
    for (int index = 0; index < specs.size(); index++) {
      long size = specs.get(index).spec().sizeBytes();
      long address = VolumeMemory.address(mapped, room.offsets().get(index), size);
      rooms.put(specs.get(index).name(), new Room(address, size));
    }
    return new OpenPut(volume, openPuts, room.put(), rooms.buildOrThrow());
  }

  @Override
  public long address(String name) {
    return room(name).address();
  }

  @Override
  public synchronized void setChecksum(String name, int checksum) {
    requireOpen();
    Room unused = room(name);
    given.put(name, checksum);
  }

  @Override
  public synchronized long commit() {
    requireOpen();
    ImmutableList<Integer> checksums =
        rooms.keySet().stream().map(this::checksum).collect(ImmutableList.toImmutableList());
    end();
    return volume.run(
        "commit %s tensors".formatted(rooms.size()),
        () -> {
          Reply reply = volume.ask(new VolumeRequest.Commit(put, checksums));
          if (reply instanceof Reply.Committed committed) {
            return committed.version();
          }
          throw volume.strange(reply);
        });
  }

  @Override
  public synchronized void close() {
    if (!ended) {
      end();
      volume.run(
          "give up a put of %s tensors".formatted(rooms.size()),
          () -> {
            volume.tell(new VolumeRequest.Abort(put));
            return null;
          });
    }
  }

  private Room room(String name) {
    Room room = rooms.get(name);
    if (room == null) {
      throw new UsageException("no tensor of this put is called '" + name + "'");
    }
    return room;
  }

  private int checksum(String name) {
    Integer known = given.get(name);
    Room room = room(name);
    return known != null ? known : Checksum.of(room.address(), room.sizeBytes());
  }

  private void requireOpen() {
    if (ended) {
      throw new UsageException("this put has been committed, or given up");
    }
  }

  private void end() {
    ended = true;
    openPuts.decrementAndGet();
  }
}
