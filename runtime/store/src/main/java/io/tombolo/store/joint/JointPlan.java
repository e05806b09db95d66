// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.joint;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import io.tombolo.tensors.reshard.Assembly;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Who of several writers writes what of which tensor: every element is written once. Immutable.
 *
 * @param tensors all tensors, in the order in which the writers name them
 * @param tasks for each writer, what to write of each of its parts
 */
public record JointPlan(
    ImmutableList<NamedSpec> tensors, ImmutableList<ImmutableList<BoxTask>> tasks) {
  private static final int NAMED_HOLDERS = 8;

  /** A writer that has a part of the tensor in question. */
  private record Holder(WriterShare share, int part) {
    NamedPart named() {
      return share.parts().get(part);
    }
  }

  /**
   * The plan for all writers; the n-th is writer n.
   *
   * @throws MismatchException if two of them do not agree what a tensor is, or if nobody has a part
   *     of one
   */
  public static JointPlan of(List<WriterShare> writers) {
    Map<String, List<Holder>> holders = new LinkedHashMap<>();
    List<BoxTask[]> tasks = new ArrayList<>();
    for (WriterShare share : writers) {
      tasks.add(new BoxTask[share.parts().size()]);
      for (int part = 0; part < share.parts().size(); part++) {
        String name = share.parts().get(part).tensor().name();
        holders.computeIfAbsent(name, each -> new ArrayList<>()).add(new Holder(share, part));
      }
    }
    ImmutableList.Builder<NamedSpec> tensors = ImmutableList.builder();
    int tensor = 0;
    for (List<Holder> each : holders.values()) {
      tensors.add(agreed(each));
      Assembly assembly = assembly(each);
      for (int rank = 0; rank < each.size(); rank++) {
        Holder holder = each.get(rank);
        tasks.get(holder.share.writer())[holder.part] = new BoxTask(tensor, assembly.from(rank));
      }
      tensor++;
    }
    return new JointPlan(
        tensors.build(),
        tasks.stream().map(ImmutableList::copyOf).collect(ImmutableList.toImmutableList()));
  }

  private static NamedSpec agreed(List<Holder> holders) {
    Holder first = holders.get(0);
    for (Holder other : holders) {
      if (!other.named().tensor().equals(first.named().tensor())) {
        throw new MismatchException(
            "'%s' is %s to %s, but %s to %s"
                .formatted(
                    first.named().tensor().name(),
                    first.named().tensor().spec(),
                    first.share.title(),
                    other.named().tensor().spec(),
                    other.share.title()));
      }
    }
    return first.named().tensor();
  }

  private static Assembly assembly(List<Holder> holders) {
    TensorSpec spec = holders.get(0).named().tensor().spec();
    ImmutableList.Builder<Shard> shards = ImmutableList.builder();
    for (int rank = 0; rank < holders.size(); rank++) {
      Holder holder = holders.get(rank);
      shards.add(new Shard(rank, holder.share.place(), holder.named().box()));
    }
    Assembly assembly =
        Assembly.of(new TensorLayout(spec.whole(), shards.build()), WriterShare.volume());
    if (assembly.gap().isPresent()) {
      throw new MismatchException(gap(assembly.gap().get(), holders));
    }
    return assembly;
  }

  private static String gap(Box gap, List<Holder> holders) {
    String known =
        holders.stream()
            .limit(NAMED_HOLDERS)
            .map(holder -> holder.share.title() + " has " + holder.named().box())
            .collect(Collectors.joining(", "));
    return "nobody has %s of '%s', which is %s: %s%s"
        .formatted(
            gap,
            holders.get(0).named().tensor().name(),
            holders.get(0).named().tensor().spec(),
            known,
            holders.size() > NAMED_HOLDERS ? ", …" : "");
  }
}
