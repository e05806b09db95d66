// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import io.tombolo.tensors.reshard.Resharding;
import io.tombolo.tensors.reshard.Transfer;
import java.util.function.BiConsumer;

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

  /** Says who gives which piece of {@code wanted}. */
  void divide(Box wanted, BiConsumer<HeldSource, Box> piece) {
    ImmutableList<HeldSource> from = whoHas(wanted);
    for (Transfer transfer : plan(wanted, from).into(0)) {
      piece.accept(from.get(transfer.from()), transfer.box());
    }
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
      boolean unused =
          lease.succeeds(() -> lease.verify(source.index()), () -> isLeft(source.box()));
    }
  }

  /** Whether a holder has not gone; fails if nobody else has what it had. */
  boolean isThere(HeldSource source) {
    HeldLease lease = source.lease();
    return lease.succeeds(lease::check, () -> isLeft(source.box()));
  }

  /** Whether those who have not gone have all of {@code box}. */
  boolean isLeft(Box box) {
    return box.minusAll(left().stream().map(HeldSource::box).toList()).isEmpty();
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
