// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import io.tombolo.tensors.reshard.Resharding;
import io.tombolo.tensors.reshard.Transfer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A tensor of one version, in the memory of all who hold it. What a holder that goes had comes from
 * others that have it too.
 *
 * @param name what it is called
 * @param sources who has which part, in the order in which replicas are asked
 */
record HeldTensor(String name, ImmutableList<HeldSource> sources) {
  /** Refuses holders that do not agree what it is. */
  HeldTensor {
    HeldSource first = sources.get(0);
    for (HeldSource other : sources) {
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

  TensorSpec spec() {
    return sources.get(0).whole();
  }

  /**
   * Copies {@code part} into {@code target}. Each round leaves what holders had that have gone
   * meanwhile; the next asks those who are left for it. So there is another round only if one fewer
   * is left.
   */
  void copy(Box part, HostTensor target) {
    List<Box> missing = List.of(part);
    while (!missing.isEmpty()) {
      missing = copy(missing, part, target);
    }
  }

  private List<Box> copy(List<Box> missing, Box part, HostTensor target) {
    List<Box> again = new ArrayList<>();
    Map<HeldLease, List<Box>> came = new LinkedHashMap<>();
    for (Box box : missing) {
      ImmutableList<HeldSource> from = whoHas(box);
      for (Transfer transfer : plan(box, from).into(0)) {
        HeldSource source = from.get(transfer.from());
        HeldLease lease = source.lease();
        Box piece = transfer.box();
        if (succeeds(
            lease, List.of(piece), () -> lease.copy(source.index(), piece, part, target))) {
          came.computeIfAbsent(lease, each -> new ArrayList<>()).add(piece);
        } else {
          again.add(piece);
        }
      }
    }
    came.forEach(
        (lease, pieces) -> {
          if (!succeeds(lease, pieces, lease::check)) {
            again.addAll(pieces);
          }
        });
    return again;
  }

  /** Without those who have gone, unless they are needed: then they say why there is no more. */
  private ImmutableList<HeldSource> whoHas(Box box) {
    ImmutableList<HeldSource> left = left();
    return left.size() == sources.size() || isLeft(box) ? left : sources;
  }

  /** Compares each part with its checksum, where it lies. */
  void verify() {
    for (HeldSource source : sources) {
      HeldLease lease = source.lease();
      boolean unused = succeeds(lease, List.of(source.box()), () -> lease.verify(source.index()));
    }
  }

  /** Whether a holder has not gone; fails if nobody else has what it had. */
  boolean isThere(HeldSource source) {
    HeldLease lease = source.lease();
    return succeeds(lease, List.of(source.box()), lease::check);
  }

  /** Whether those who have not gone have all of {@code box}. */
  boolean isLeft(Box box) {
    return box.minusAll(left().stream().map(HeldSource::box).toList()).isEmpty();
  }

  /**
   * Runs what needs {@code boxes} of one holder. If it has gone, this fails only if they are not
   * all with others, too.
   */
  private boolean succeeds(HeldLease lease, List<Box> boxes, Runnable step) {
    try {
      step.run();
      return true;
    } catch (PeerFailedException | DeadlineExceededException e) {
      if (lease.isLost() && boxes.stream().allMatch(this::isLeft)) {
        return false;
      }
      throw e;
    }
  }

  private ImmutableList<HeldSource> left() {
    return sources.stream()
        .filter(source -> !source.lease().isLost())
        .collect(ImmutableList.toImmutableList());
  }

  private Resharding plan(Box wanted, ImmutableList<HeldSource> from) {
    ImmutableList.Builder<Shard> shards = ImmutableList.builder();
    for (int rank = 0; rank < from.size(); rank++) {
      shards.add(new Shard(rank, from.get(rank).place(), from.get(rank).box()));
    }
    Box whole = spec().whole();
    try {
      return Resharding.of(
          new TensorLayout(whole, shards.build()),
          new TensorLayout(whole, ImmutableList.of(new Shard(0, HeldSource.HERE, wanted))));
    } catch (MismatchException e) {
      throw new MismatchException(
          "the holders of '%s' do not have all of it: %s".formatted(name, e.getMessage()), e);
    }
  }
}
