// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.wire.LeasedTensor;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.BoxRuns;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
  public synchronized void getAllInto(List<WantedPart> wanted) {
    wanted.forEach(each -> each.checkAgainst(spec(each.name())));
    String what =
        wanted.size() == 1
            ? "get '%s'".formatted(wanted.get(0).name())
            : "get %s parts of tensors".formatted(wanted.size());
    List<ImmutableList<WantedPart>> turns =
        Turns.of(wanted, each -> each.target().spec().sizeBytes());
    run(what, () -> move(turns.get(0)));
    turns.stream().skip(1).forEach(turn -> volume.goOn(what, () -> move(turn)));
  }

  @Override
  public void verify(String name) {
    Place place = place(name);
    run("verify '" + name + "'", () -> check(name, place));
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      volume.giveBack("give a snapshot back", new VolumeRequest.Release(lease));
      closed = true;
    }
  }

  private synchronized void run(String what, VolumeLink.Call<Void> call) {
    if (closed) {
      throw new UsageException("cannot " + what + ": this snapshot is closed");
    }
    volume.run(what, call);
  }

  private Void move(List<WantedPart> wanted) throws IOException {
    Optional<NativeMemory> mapped = memory.readable();
    if (mapped.isPresent()) {
      wanted.forEach(each -> copy(mapped.get(), each));
      volume.requireAlive();
    } else {
      receive(wanted);
    }
    return null;
  }

  private void copy(NativeMemory mapped, WantedPart wanted) {
    LeasedTensor tensor = place(wanted.name()).tensor();
    TensorSpec spec = tensor.tensor().spec();
    int size = spec.type().sizeBytes();
    long from = VolumeMemory.address(mapped, tensor.offset(), spec.sizeBytes());
    long to = addressOf(wanted.target());
    BoxRuns.of(spec.whole(), wanted.part(), wanted.part())
        .forEach(
            (source, destination, elements) ->
                NativeMemory.copy(to + destination * size, from + source * size, elements * size));
  }

  private void receive(List<WantedPart> wanted) throws IOException {
    List<WantedPart> asked = new ArrayList<>();
    for (WantedPart each : wanted) {
      OptionalInt read = read(each);
      if (read.isPresent()) {
        volume.requireAlive();
        compare(each, read.getAsInt());
      } else {
        asked.add(each);
      }
    }
    ImmutableList<Integer> arrived =
        PartStream.receive(volume, asked.stream().map(this::coming).toList());
    for (int index = 0; index < asked.size(); index++) {
      compare(asked.get(index), arrived.get(index));
    }
  }

  /** One-sidedly; empty if it has to be asked for. */
  private OptionalInt read(WantedPart wanted) throws IOException {
    Place place = place(wanted.name());
    TensorSpec whole = place.tensor().tensor().spec();
    return reads.bring(
        place.index(),
        "'%s'".formatted(wanted.name()),
        BoxRuns.of(whole.whole(), wanted.part(), wanted.part()),
        whole.type().sizeBytes(),
        addressOf(wanted.target()));
  }

  private PartStream.Part coming(WantedPart wanted) {
    long to = addressOf(wanted.target());
    long size = wanted.target().spec().sizeBytes();
    return new PartStream.Part(
        new VolumeRequest.Read(lease, place(wanted.name()).index(), wanted.part()),
        size,
        () -> {
          Checksum arrived = new Checksum();
          volume.link().receive(to, size, arrived);
          return arrived.value();
        });
  }

  private void compare(WantedPart wanted, int arrived) {
    Place place = place(wanted.name());
    boolean isWhole = wanted.target().spec().equals(place.tensor().tensor().spec());
    if (isWhole && arrived != place.tensor().checksum()) {
      throw notWhatWasPut(wanted.name(), arrived, place);
    }
  }

  private static long addressOf(HostTensor target) {
    return target.address(0, target.spec().sizeBytes());
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
