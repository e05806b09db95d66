// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.wire.HeldPart;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A version of a state dict in the memory of those who hold it: each element is fetched once, from
 * the nearest of them that has it. If one of them goes, also in the middle of a call, what others
 * have too is fetched from there. Thread-safe.
 */
public final class HeldSnapshot implements TensorSnapshot {
  private final ImmutableList<HeldLease> leases;
  private final ImmutableMap<String, HeldTensor> tensors;
  private final Set<HeldLease> addressed = new HashSet<>();
  private boolean closed;

  /**
   * The version that these leases are of.
   *
   * @param leases of each holder, in the order in which replicas are asked
   * @throws MismatchException if holders do not agree what a tensor is
   */
  HeldSnapshot(List<HeldLease> leases) {
    this.leases = ImmutableList.copyOf(leases);
    ImmutableListMultimap.Builder<String, HeldSource> found = ImmutableListMultimap.builder();
    for (HeldLease lease : leases) {
      for (int index = 0; index < lease.held().parts().size(); index++) {
        HeldSource source = new HeldSource(lease, index);
        found.put(source.part().part().tensor().name(), source);
      }
    }
    ImmutableListMultimap<String, HeldSource> sources = found.build();
    this.tensors =
        sources.keySet().stream()
            .collect(
                ImmutableMap.toImmutableMap(
                    name -> name, name -> new HeldTensor(name, sources.get(name))));
  }

  @Override
  public long version() {
    return leases.get(0).held().version();
  }

  @Override
  public Set<String> names() {
    return tensors.keySet();
  }

  @Override
  public TensorSpec spec(String name) {
    return tensor(name).spec();
  }

  /**
   * Only of what one holder on this host has all of; and none any more once one has gone whose
   * memory was given out so.
   */
  @Override
  public synchronized OptionalLong address(String name) {
    requireOpen(name);
    HeldTensor tensor = tensor(name);
    boolean isChecked = addressed.stream().noneMatch(HeldLease::isLost);
    for (HeldSource source : tensor.sources()) {
      HeldLease lease = source.lease();
      boolean isWhole = source.box().equals(source.whole().whole());
      if (isChecked && isWhole && lease.isShared(source.part()) && tensor.isThere(source)) {
        addressed.add(lease);
        return OptionalLong.of(lease.address(source.part()));
      }
    }
    return OptionalLong.empty();
  }

  /**
   * What a holder had that has gone is not missed if others have it too, and nobody its address.
   */
  @Override
  public synchronized void check() {
    if (closed) {
      throw new UsageException("this snapshot is closed");
    }
    for (HeldLease lease : leases) {
      try {
        lease.check();
      } catch (PeerFailedException | DeadlineExceededException e) {
        if (!lease.isLost() || addressed.contains(lease) || isMissed(lease)) {
          throw e;
        }
      }
    }
  }

  private boolean isMissed(HeldLease lease) {
    return lease.held().parts().stream()
        .map(HeldPart::part)
        .anyMatch(part -> !tensor(part.tensor().name()).isLeft(part.box()));
  }

  @Override
  public synchronized void getAllInto(List<WantedPart> wanted) {
    List<HeldFetch.Missing> missing = new ArrayList<>();
    for (WantedPart each : wanted) {
      requireOpen(each.name());
      HeldTensor tensor = tensor(each.name());
      each.checkAgainst(tensor.spec());
      missing.add(new HeldFetch.Missing(tensor, each.part(), each));
    }
    HeldFetch.fetch(missing);
  }

  /** Of each part, in each holder's memory. */
  @Override
  public synchronized void verify(String name) {
    requireOpen(name);
    tensor(name).verify();
  }

  @Override
  public synchronized void close() {
    try {
      DoAll.each(leases, HeldLease::close);
    } finally {
      closed = leases.stream().anyMatch(HeldLease::isClosed); // what is left is not all
    }
  }

  private HeldTensor tensor(String name) {
    HeldTensor found = tensors.get(name);
    if (found == null) {
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
