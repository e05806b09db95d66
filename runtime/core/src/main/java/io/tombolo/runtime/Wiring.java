package io.tombolo.runtime;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSelector;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.exec.Duty;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This rank's channels: which fabric joins it to which peer, and why. Connects, then is the agent's
 * to drive.
 */
final class Wiring implements Duty {
  private static final Logger LOG = LoggerFactory.getLogger(Wiring.class);

  private static final long DATA = 0;
  private static final long CONTROL = 1;
  private static final long REST_NS = 100_000;

  private final int rank;
  private final List<Fabric> fabrics;
  private final Map<Integer, Channel> data = new TreeMap<>();
  private final Map<Integer, Channel> control = new TreeMap<>();
  private final ImmutableMap.Builder<Integer, String> routes = ImmutableMap.builder();
  private volatile Consumer<Throwable> onFailure = cause -> {};

  Wiring(int rank, List<Fabric> fabrics) {
    this.rank = rank;
    this.fabrics = fabrics;
  }

  /** Joins this rank to its peers; blocks, driving the fabrics, until all channels are open. */
  void connect(
      FabricSelector selector,
      List<RankDescriptor> ranks,
      Set<Integer> dataPeers,
      Iterable<Integer> controlPeers,
      Deadline deadline) {
    for (int peer : dataPeers) {
      data.put(peer, begin(selector, ranks.get(peer), DATA, deadline));
    }
    for (int peer : controlPeers) {
      control.put(peer, begin(selector, ranks.get(peer), CONTROL, deadline));
    }
    awaitOpen(
        ImmutableSet.<Channel>builder().addAll(data.values()).addAll(control.values()).build(),
        deadline);
  }

  private Channel begin(
      FabricSelector selector, RankDescriptor peer, long channelId, Deadline deadline) {
    FabricSelector.Choice choice = selector.choose(peer.rank(), peer.fabricAddresses());
    if (channelId == DATA) {
      String path = choice.fabric().traits().path().name().toLowerCase(Locale.ROOT);
      String route = choice.fabric().name() + " (" + path + "): " + choice.reason();
      routes.put(peer.rank(), route);
      LOG.info("rank {} reaches rank {} over {}", rank, peer.rank(), route);
    }
    return choice
        .fabric()
        .connect(
            peer.rank(), peer.fabricAddresses().get(choice.fabric().name()), channelId, deadline);
  }

  private void awaitOpen(Set<Channel> channels, Deadline deadline) {
    while (!channels.stream().allMatch(Channel::isOpen)) {
      if (deadline.isExpired()) {
        List<Integer> missing =
            channels.stream()
                .filter(channel -> !channel.isOpen())
                .map(Channel::peer)
                .distinct()
                .toList();
        throw new DeadlineExceededException(
            "rank "
                + rank
                + " could not reach ranks "
                + missing
                + " within "
                + deadline.budgetNs() / 1_000_000
                + " ms; are they alive, and does a firewall stand between?");
      }
      if (work() == 0) {
        LockSupport.parkNanos(REST_NS);
      }
    }
  }

  Map<Integer, Channel> data() {
    return data;
  }

  Map<Integer, Channel> control() {
    return control;
  }

  /** Peer by peer, the fabric and the reason. */
  ImmutableMap<Integer, String> routes() {
    return routes.buildOrThrow();
  }

  /** Who is told when driving the fabrics fails. */
  void onFailure(Consumer<Throwable> listener) {
    onFailure = listener;
  }

  @Override
  public int work() {
    int done = 0;
    for (Fabric fabric : fabrics) {
      done += fabric.progress();
    }
    return done;
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
