// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.LeasedTensor;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Tensors as they were at one moment: a version of a state dict, or some tensors with names of
 * their own. They stay so, whatever is put or deleted meanwhile, until this is closed; their memory
 * cannot be used for others before. Thread-safe.
 */
public final class Snapshot implements TensorSnapshot {
  /** A tensor, and its number in the lease. */
  private record Place(int index, LeasedTensor tensor) {}

  private final VolumeLink volume;
  private final VolumeMemory memory;
  private final LeaseReads reads;
  private final long lease;
  private final long version;
  private final ImmutableMap<String, Place> places;
  private boolean closed;

  Snapshot(VolumeLink volume, VolumeMemory memory, VolumeReads reads, Reply.Leased leased) {
    this.volume = volume;
    this.memory = memory;
    this.reads = new LeaseReads(reads, leased.lease());
    this.lease = leased.lease();
    this.version = leased.version();
    ImmutableMap.Builder<String, Place> found = ImmutableMap.builder();
    for (int index = 0; index < leased.tensors().size(); index++) {
      LeasedTensor tensor = leased.tensors().get(index);
      found.put(tensor.tensor().name(), new Place(index, tensor));
    }
    this.places = found.buildKeepingLast();
  }

  @Override
  public long version() {
    return version;
  }

  @Override
  public Set<String> names() {
    return places.keySet();
  }

  @Override
  public TensorSpec spec(String name) {
    return place(name).tensor().tensor().spec();
  }

  /** CRC-32C of the tensor called {@code name}, computed where it came from. */
  public int checksum(String name) {
    return place(name).tensor().checksum();
  }

  @Override
  public synchronized OptionalLong address(String name) {
    if (closed) {
      throw new UsageException("'" + name + "' is of a snapshot that is closed");
    }
    LeasedTensor tensor = place(name).tensor();
    Optional<NativeMemory> mapped = memory.readable();
    return mapped.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(
            VolumeMemory.address(
                mapped.get(), tensor.offset(), tensor.tensor().spec().sizeBytes()));
  }

  @Override
  public void check() {
    run(
        "read on",
        () -> {
          volume.requireAlive();
          return null;
        });
  }

  @Override
  public void getInto(String name, Box part, HostTensor target) {
    TensorSpec wanted = spec(name).part(part);
    if (!wanted.equals(target.spec())) {
      throw new UsageException(
          "%s of '%s' is %s, but the memory given for it holds %s"
              .formatted(part, name, wanted, target.spec()));
    }
    run("get '" + name + "'", () -> move(place(name), part, target));
  }

  @Override
  public void verify(String name) {
    Place place = place(name);
    run("verify '" + name + "'", () -> check(name, place));
  }

  /** Gives the tensors up; harmless the second time. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      volume.run(
          "give a snapshot back",
          () -> {
            volume.tell(new VolumeRequest.Release(lease));
            return null;
          });
    }
  }

  private synchronized void run(String what, VolumeLink.Call<Void> call) {
    if (closed) {
      throw new UsageException("cannot " + what + ": this snapshot is closed");
    }
    volume.run(what, call);
  }

  private Void move(Place place, Box part, HostTensor target) throws IOException {
    Optional<NativeMemory> mapped = memory.readable();
    if (mapped.isPresent()) {
      copy(mapped.get(), place.tensor(), part, target);
      volume.requireAlive();
    } else {
      receive(place, part, target);
    }
    return null;
  }

  private static void copy(NativeMemory mapped, LeasedTensor tensor, Box part, HostTensor target) {
    TensorSpec spec = tensor.tensor().spec();
    int size = spec.type().sizeBytes();
    long from = VolumeMemory.address(mapped, tensor.offset(), spec.sizeBytes());
    long to = target.address(0, target.spec().sizeBytes());
    BoxRuns.of(spec.whole(), part, part)
        .forEach(
            (source, destination, elements) ->
                NativeMemory.copy(to + destination * size, from + source * size, elements * size));
  }

  private void receive(Place place, Box part, HostTensor target) throws IOException {
    long size = target.spec().sizeBytes();
    long to = target.address(0, size); // before the volume is asked: this may fail
    String name = place.tensor().tensor().name();
    TensorSpec whole = place.tensor().tensor().spec();
    BoxRuns runs = BoxRuns.of(whole.whole(), part, part);
    OptionalInt read =
        reads.bring(place.index(), "'%s'".formatted(name), runs, whole.type().sizeBytes(), to);
    int arrived;
    if (read.isPresent()) {
      volume.requireAlive();
      arrived = read.getAsInt();
    } else {
      arrived = ask(place, part, to, size);
    }
    if (target.spec().equals(whole) && arrived != place.tensor().checksum()) {
      throw notWhatWasPut(name, arrived, place);
    }
  }

  private int ask(Place place, Box part, long to, long size) throws IOException {
    Reply reply = volume.ask(new VolumeRequest.Read(lease, place.index(), part));
    if (!(reply instanceof Reply.BytesFollow bytes) || bytes.sizeBytes() != size) {
      throw volume.strange(reply);
    }
    Checksum arrived = new Checksum();
    volume.whole(
        () -> {
          volume.link().receive(to, size, arrived);
          return null;
        });
    return arrived.value();
  }

  private Void check(String name, Place place) throws IOException {
    Reply reply = volume.ask(new VolumeRequest.Check(lease, place.index()));
    if (!(reply instanceof Reply.Checksum now)) {
      throw volume.strange(reply);
    }
    if (now.value() != place.tensor().checksum()) {
      throw notWhatWasPut(name, now.value(), place);
    }
    return null;
  }

  private CorruptException notWhatWasPut(String name, int checksum, Place place) {
    return new CorruptException(
        "'%s' in %s is not what was put: its checksum is %08x, not %08x; put it again"
            .formatted(name, volume.where(), checksum, place.tensor().checksum()));
  }

  private Place place(String name) {
    Place place = places.get(name);
    if (place == null) {
      throw new UsageException("no tensor of this snapshot is called '" + name + "'");
    }
    return place;
  }
}
