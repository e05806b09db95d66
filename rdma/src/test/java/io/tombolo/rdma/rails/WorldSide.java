// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.Postings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** One end of a channel over simulated rails, as a staged fabric drives it. */
final class WorldSide {
  /** What its user gives it to open. */
  static final Duration BUDGET = Duration.ofSeconds(50);

  final Postings postings = new Postings();
  private final RailsLink link;
  private Optional<TomboloException> failure = Optional.empty();

  WorldSide(World world, int side, List<WorldRail> rails, int[] rates, PeerSocket socket) {
    ImmutableList<Rail> ours =
        IntStream.range(0, rates.length)
            .mapToObj(i -> new Rail(rails.get(i).end(side), "nic" + i, rates[i]))
            .collect(ImmutableList.toImmutableList());
    RailsAddress theirs =
        new RailsAddress(
            new byte[0],
            IntStream.of(rates)
                .mapToObj(rate -> new RailsAddress.Entry("", rate, new byte[0]))
                .collect(ImmutableList.toImmutableList()));
    RailsRoute route =
        new RailsRoute(
            ours.stream().map(GuardedRail::new).collect(ImmutableList.toImmutableList()),
            new RailsMedium.Call(
                theirs,
                RailPair.between(ours, theirs.rails(), side == 0),
                Deadline.after(world, BUDGET)),
            new Joined(1 - side, 7, socket, new SlotGeometry(1, 64), side == 0));
    link = new RailsLink(route, postings.sends(), postings.receives(), world);
  }

  /** A round of its process. */
  void progress(Channel.Completions completions) {
    if (failure.isPresent()) {
      return;
    }
    try {
      int steps = link.progress();
      if (steps == 0 && link.isPeerGone()) {
        throw new PeerFailedException(link.howPeerWent());
      }
    } catch (TomboloException e) {
      failure = Optional.of(e);
      link.hangUp();
    }
    postings.poll(completions);
  }

  boolean isReady() {
    return link.isReady();
  }

  /** The rails that it goes on over: a bit each. */
  int live() {
    return link.live();
  }

  Optional<TomboloException> failure() {
    return failure;
  }

  boolean isQuiet() {
    return link.isQuiet();
  }

  long sentBytes() {
    return link.sentBytes();
  }

  long receivedBytes() {
    return link.receivedBytes();
  }

  void close() {
    link.hangUp();
  }
}
