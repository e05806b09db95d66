// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.HeldPart;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Place;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import io.tombolo.tensors.reshard.Resharding;
import io.tombolo.tensors.reshard.Transfer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A version of a state dict in the memory of those who hold it: each element is fetched once, from
 * the nearest of them that has it. Thread-safe.
 */
public final class HeldSnapshot implements TensorSnapshot {
  private static final Place HERE = new Place("here", "here", "");

  /** What a holder has of a tensor: part {@code index} of its lease. */
  private record Source(HeldLease lease, int index) {
    HeldPart part() {
      return lease.held().parts().get(index);
    }

    TensorSpec whole() {
      return part().part().tensor().spec();
    }

    /** What shares memory is on this host; all else is equally far. */
    Place place() {
      String where = lease.holder().link().where();
      return new Place(where, lease.mapped().isPresent() ? HERE.host() : where, "");
    }
  }

  private final ImmutableList<HeldLease> leases;
  private final ImmutableListMultimap<String, Source> sources;
  private boolean closed;

  /**
   * The version that these leases are of.
   *
   * @param leases of each holder, in the order in which replicas are asked
   * @throws MismatchException if holders do not agree what a tensor is
   */
  HeldSnapshot(List<HeldLease> leases) {
    this.leases = ImmutableList.copyOf(leases);
    ImmutableListMultimap.Builder<String, Source> found = ImmutableListMultimap.builder();
    for (HeldLease lease : leases) {
      for (int index = 0; index < lease.held().parts().size(); index++) {
        Source source = new Source(lease, index);
        found.put(source.part().part().tensor().name(), source);
      }
    }
    this.sources = found.build();
    sources.keySet().forEach(this::checkAgreement);
  }

  private void checkAgreement(String name) {
    Source first = sources.get(name).get(0);
    for (Source other : sources.get(name)) {
      if (!other.whole().equals(first.whole())) {
        throw new MismatchException(
            "'%s' is %s to %s, but %s to %s"
                .formatted(
                    name,
                    first.whole(),
                    first.lease().holder().link().where(),
                    other.whole(),
                    other.lease().holder().link().where()));
      }
    }
  }

  @Override
  public long version() {
    return leases.get(0).held().version();
  }

  @Override
  public Set<String> names() {
    return sources.keySet();
  }

  @Override
  public TensorSpec spec(String name) {
    return held(name).get(0).whole();
  }

  /** Only of what one holder on this host has all of. */
  @Override
  public synchronized OptionalLong address(String name) {
    requireOpen(name);
    for (Source source : held(name)) {
      Optional<NativeMemory> mapped = source.lease().mapped();
      if (mapped.isPresent() && source.part().part().box().equals(source.whole().whole())) {
        source.lease().check();
        return OptionalLong.of(source.lease().address(mapped.get(), source.part()));
      }
    }
    return OptionalLong.empty();
  }

  @Override
  public synchronized void check() {
    if (closed) {
      throw new UsageException("this snapshot is closed");
    }
    leases.forEach(HeldLease::check);
  }

  @Override
  public synchronized void getInto(String name, Box part, HostTensor target) {
    requireOpen(name);
    TensorSpec wanted = spec(name).part(part);
    if (!wanted.equals(target.spec())) {
      throw new UsageException(
          "%s of '%s' is %s, but the memory given for it holds %s"
              .formatted(part, name, wanted, target.spec()));
    }
    ImmutableList<Source> from = held(name);
    Set<HeldLease> read = new LinkedHashSet<>();
    for (Transfer transfer : plan(name, part, from).into(0)) {
      Source source = from.get(transfer.from());
      source.lease().copy(source.index(), transfer.box(), part, target);
      read.add(source.lease());
    }
    read.forEach(HeldLease::check);
  }

  /** Of each part, in each holder's memory. */
  @Override
  public synchronized void verify(String name) {
    requireOpen(name);
    held(name).forEach(source -> source.lease().verify(source.index()));
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      leases.forEach(HeldLease::close);
    }
  }

  private Resharding plan(String name, Box wanted, ImmutableList<Source> from) {
    ImmutableList.Builder<Shard> shards = ImmutableList.builder();
    for (int rank = 0; rank < from.size(); rank++) {
      shards.add(new Shard(rank, from.get(rank).place(), from.get(rank).part().part().box()));
    }
    Box whole = spec(name).whole();
    try {
      return Resharding.of(
          new TensorLayout(whole, shards.build()),
          new TensorLayout(whole, ImmutableList.of(new Shard(0, HERE, wanted))));
    } catch (MismatchException e) {
      throw new MismatchException(
          "the holders of '%s' do not have all of it: %s".formatted(name, e.getMessage()), e);
    }
  }

  private ImmutableList<Source> held(String name) {
    ImmutableList<Source> found = sources.get(name);
    if (found.isEmpty()) {
      throw new UsageException("no tensor of this snapshot is called '" + name + "'");
    }
    return found;
  }

  private void requireOpen(String name) {
    if (closed) {
      throw new UsageException("'" + name + "' is of a snapshot that is closed");
    }
  }
}
