// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.WakeUps;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSelector;
import io.tombolo.rdma.FabricTraits.Path;
import io.tombolo.rdma.Instead;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.equipment.DirectFabrics;
import io.tombolo.runtime.equipment.Equipment;
import io.tombolo.runtime.exec.agent.Duty;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How this process reaches the others: drives the fabrics, and opens channels over them. */
final class Wiring implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Wiring.class);

  private final int rank;
  private final List<Fabric> fabrics;
  private final DirectFabrics direct;
  private final FabricSelector selector;
  private final List<RankDescriptor> ranks;
  private volatile Consumer<Throwable> onFailure = cause -> {};

  /** Wiring of the process of rank {@code rank} in the job that {@code ranks} describe. */
  Wiring(int rank, Equipment equipment, List<RankDescriptor> ranks) {
    this.rank = rank;
    this.fabrics = equipment.fabrics();
    this.direct = equipment.direct();
    this.selector = equipment.selector();
    this.ranks = ranks;
  }

  /**
   * Begins to connect to rank {@code peer} of the job; both ends name the same {@code channelId}.
   * Does not block. For the thread that drives this duty.
   */
  Channel connect(int peer, long channelId, Deadline deadline) {
    FabricSelector.Choice choice = choice(peer);
    LOG.debug("rank {} reaches rank {} over {}", rank, peer, text(choice));
    return choice
        .fabric()
        .connect(
            peer,
            ranks.get(peer).fabricAddresses().get(choice.fabric().name()),
            channelId,
            deadline);
  }

  /** Which fabric leads to {@code peer}, and why: {@code shm (shared): same host}. */
  String route(int peer) {
    FabricSelector.Choice choice = choice(peer);
    return choice
        .fabric()
        .instead(peer)
        .map(instead -> text(choice.fabric(), instead))
        .orElseGet(() -> text(choice));
  }

  private FabricSelector.Choice choice(int peer) {
    return selector.choose(peer, ranks.get(peer).fabricAddresses());
  }

  /** Whether what goes to {@code peer} is read in this rank's device memory, by no processor. */
  boolean sendsDirectly(int peer) {
    return isOneOf(direct.sending(), peer) || copiesByDevice(peer);
  }

  /** Whether what comes from {@code peer} is written there, by no processor. */
  boolean receivesDirectly(int peer) {
    return isOneOf(direct.receiving(), peer) || copiesByDevice(peer);
  }

  /** Whether the device's engine copies what is exchanged with {@code peer}. */
  boolean copiesByDevice(int peer) {
    return isOneOf(direct.copying(), peer);
  }

  private boolean isOneOf(Set<Fabric> fabrics, int peer) {
    return selector
        .first(ranks.get(peer).fabricAddresses())
        .filter(fabrics::contains)
        .filter(fabric -> fabric.instead(peer).isEmpty())
        .isPresent();
  }

  private String text(FabricSelector.Choice choice) {
    Fabric fabric = choice.fabric();
    return fabric.name() + " (" + path(fabric) + "): " + choice.reason();
  }

  /** Names no rank, as the reason of a choice: ranks that are reached alike share it. */
  private static String text(Fabric left, Instead instead) {
    return instead.fabric()
        + " ("
        + name(Path.STAGED)
        + "): "
        + instead.reach()
        + " ("
        + left.name()
        + " did not open; the log says why)";
  }

  private String path(Fabric fabric) {
    if (direct.copying().contains(fabric)) {
      return "pinned";
    }
    if (direct.receiving().contains(fabric)) {
      return name(Path.DIRECT);
    }
    String received = name(fabric.traits().path());
    return direct.sending().contains(fabric)
        ? name(Path.DIRECT) + " out, " + received + " in"
        : received;
  }

  private static String name(Path path) {
    return path.name().toLowerCase(Locale.ROOT);
  }

  /** Who is told when driving the fabrics fails. */
  void onFailure(Consumer<Throwable> listener) {
    onFailure = listener;
  }

  @Override
  public int work() {
    int done = 0;
    for (int i = 0; i < fabrics.size(); i++) { // in every round, so it makes no garbage
      done += fabrics.get(i).progress();
    }
    return done;
  }

  @Override
  public boolean isPrompt() {
    return true;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    for (int i = 0; i < fabrics.size(); i++) {
      fabrics.get(i).awaits(wakeUps);
    }
  }

  /** Messages only matter while an operation is under way, and the executor knows that. */
  @Override
  public boolean isBusy() {
    return false;
  }

  @Override
  public void fail(Throwable cause) {
    onFailure.accept(cause);
  }
}
