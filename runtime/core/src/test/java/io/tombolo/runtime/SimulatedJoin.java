// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.bootstrap.Agreement;
import io.tombolo.runtime.bootstrap.Heartbeat;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.JoinTime;
import io.tombolo.runtime.bootstrap.Leftovers;
import io.tombolo.runtime.bootstrap.Presence;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.bootstrap.Rendezvous;
import io.tombolo.runtime.bootstrap.Roster;
import io.tombolo.runtime.bootstrap.UniqueIds;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ImaginedRanks;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.store.EngineStore;
import io.tombolo.runtime.store.OwnKeys;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.Cluster;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.machine.CpuSet;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Many ranks join a job, as threads of one process: what {@link Session} does of it in the store.
 */
final class SimulatedJoin {
  private static final int RANKS_PER_HOST = 8;
  private static final Deadline DEADLINE = Deadline.after(Duration.ofMinutes(5));

  private static final String GROUP = GroupFailures.placeOf(0);

  /** What one rank has meanwhile. */
  private static final class Join {
    private final EngineStore.Count count = new EngineStore.Count();
    private Store store;
    private JobRound round;
    private OwnKeys own;
    private JoinTime time;
    private Rendezvous rendezvous;
    private Agreement agreement;
  }

  private final int size;
  private final EngineStore store = new EngineStore();
  private final List<RankDescriptor> descriptors;
  private final Join[] joins;
  private final Map<Integer, byte[]> presences = new HashMap<>();
  private byte[] bundle;
  private Roster roster;
  private PlanContext context;
  private ImmutableSortedMap<String, String> facts;
  private long aloneNs;

  SimulatedJoin(int size) {
    this.size = size;
    this.descriptors = descriptors(size);
    this.joins = new Join[size];
  }

  private static List<RankDescriptor> descriptors(int size) {
    List<RankDescriptor> kinds = ImaginedRanks.apart(ClusterSpec.parse("emu-nvidia:1,emu-amd:1"));
    return IntStream.range(0, size)
        .mapToObj(rank -> descriptor(rank, kinds.get(rank < size / 2 ? 0 : 1)))
        .toList();
  }

  private static RankDescriptor descriptor(int number, RankDescriptor rank) {
    return new RankDescriptor(
        rank.protocolMin(),
        rank.protocolMax(),
        rank.build(),
        number,
        rank.vendor(),
        "Emulated device",
        rank.architecture(),
        "5e0a1b7c-77aa-4d52-9d52-%012d".formatted(number / RANKS_PER_HOST),
        10_000 + number,
        CpuSet.ofList(""),
        rank.capabilities(),
        ImmutableMap.of("tcp", Ints.toByteArray(0x0a000000 + number), "shm", JobToken.nonce()),
        ImmutableList.of(),
        ImmutableSortedMap.of("liveness_ms", "10000"));
  }

  /** All ranks join, step by step, so that nobody waits: whatever one waits for is there. */
  void run() {
    IntStream.range(0, size).forEach(this::enter);
    fromBelow(
        rank ->
            joins[rank].rendezvous =
                Rendezvous.begin(own(rank), descriptors.get(rank), size, joins[rank].time));
    IntStream.range(0, size).forEach(this::meet);
    fromBelow(rank -> joins[rank].agreement = agreement(rank, "plan-context", facts));
    IntStream.range(0, size).forEach(this::joinCluster);
    fromBelow(rank -> joins[rank].agreement = agreement(rank, "ready", ImmutableSortedMap.of()));
    IntStream.range(0, size).forEach(this::beIn);
  }

  /** Those first that others of the tree wait for. */
  private void fromBelow(IntConsumer step) {
    IntStream.range(0, size).map(rank -> size - 1 - rank).forEach(step);
  }

  private void enter(int rank) {
    Join join = new Join();
    joins[rank] = join;
    join.store = store.client(join.count);
    join.round = JobRound.enter(join.store, rank, DEADLINE);
    join.own = new OwnKeys(join.round.in(join.store), Leftovers.listOf(rank));
    join.own.own(JobRound.claimOf(rank));
    new Heartbeat(join.own, rank, size, Duration.ofSeconds(10), "node", () -> 0).close();
    if (rank == 0) {
      Presence.announce(join.own, size);
    }
    join.time = JoinTime.begin(join.own, rank, Duration.ofMinutes(5));
  }

  private OwnKeys own(int rank) {
    return joins[rank].own;
  }

  private void meet(int rank) {
    Deadline deadline = joins[rank].rendezvous.await(this::read).deadline();
    UniqueIds.share(own(rank), "calibration", rank, 0, () -> new byte[100], deadline);
  }

  private Store place(int rank) {
    return own(rank).within(GROUP);
  }

  private Agreement agreement(int rank, String name, ImmutableSortedMap<String, String> facts) {
    return Agreement.begin(place(rank), name, rank, size, facts, DEADLINE);
  }

  private void joinCluster(int rank) {
    joins[rank].agreement.await();
    Cluster cluster = context.clustering().clusterOf(rank);
    UniqueIds.share(
        place(rank),
        "cluster-" + cluster.index(),
        rank,
        cluster.rank(0),
        () -> new byte[128],
        DEADLINE);
    place(rank).set("begun/" + rank, new byte[] {1});
  }

  private void beIn(int rank) {
    joins[rank].agreement.await();
    own(rank).deleteIf(key -> key.startsWith(GROUP) && !key.contains("agreement/ready"));
    publish(own(rank), rank, context.clustering().clusterOf(rank));
    Leftovers.remove(joins[rank].store, joins[rank].round, rank);
    own(rank).publish();
  }

  /** All ranks of this process read the same bytes: one of them decodes them. */
  private Roster read(byte[] bytes) {
    if (roster == null) {
      long begin = System.nanoTime();
      bundle = bytes;
      roster = Roster.read(size, bytes);
      context = JobContext.of(roster.ranks(), ImmutableMap.of(), Calibration.none());
      facts = context.facts();
      aloneNs = System.nanoTime() - begin;
    }
    assertTrue(Arrays.equals(bytes, bundle));
    return roster;
  }

  /** What takes each rank as long as the others, and is made the same way by all, is made once. */
  private void publish(OwnKeys own, int rank, Cluster cluster) {
    byte[] made = presences.get(cluster.index());
    if (made == null) {
      Presence.publish(own, rank, "node", routes(cluster), Optional.empty());
      presences.put(cluster.index(), own.get("presence/" + rank).orElseThrow());
    } else {
      own.set("presence/" + rank, made);
    }
  }

  private ImmutableMap<Integer, String> routes(Cluster cluster) {
    ImmutableMap.Builder<Integer, String> routes = ImmutableMap.builder();
    for (int peer = 0; peer < size; peer++) {
      if (context.clustering().clusterOf(peer).index() != cluster.index()) {
        routes.put(peer, "tcp (copied): network (shm does not reach it)");
      }
    }
    return routes.buildOrThrow();
  }

  /** The most store operations of any rank. */
  long mostOperations() {
    return Stream.of(joins)
        .map(join -> join.count)
        .mapToLong(EngineStore.Count::operations)
        .max()
        .orElse(0);
  }

  /** What the store holds for the job, once all are in. */
  long storeBytes() {
    return store.heldBytes();
  }

  /** How many characters of facts each rank compares with the others. */
  int factsLength() {
    return facts.toString().length();
  }

  /**
   * Bytes of the heap that rank 0 holds, of its own, to know who the others are and to plan with
   * them.
   */
  long heldBytes() {
    long before = usedHeapBytes();
    Roster read = Roster.read(size, bundle);
    PlanContext planned = JobContext.of(read.ranks(), ImmutableMap.of(), Calibration.none());
    Members members = Members.all(size, 0);
    try {
      return usedHeapBytes() - before;
    } finally {
      Reference.reachabilityFence(read);
      Reference.reachabilityFence(planned);
      Reference.reachabilityFence(members);
    }
  }

  private static long usedHeapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Prints what joins of the sizes {@code args} cost. */
  public static void main(String[] args) {
    for (String arg : args) {
      int size = Integer.parseInt(arg);
      SimulatedJoin join = new SimulatedJoin(size);
      long begin = System.nanoTime();
      long beginCpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      join.run();
      System.out.printf(
          "%d ranks in %d clusters: %.2f s, of which on a processor %.2f s; a rank's own part %.1f ms; store operations a rank: most %d, mean %.1f;"
              + " bytes read a rank %.0f; store %d bytes; held for a peer %d bytes%n",
          size,
          join.context.clustering().clusters().size(),
          (System.nanoTime() - begin) / 1e9,
          (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - beginCpu) / 1e9,
          join.aloneNs / 1e6,
          join.mostOperations(),
          Stream.of(join.joins)
              .map(each -> each.count)
              .mapToLong(EngineStore.Count::operations)
              .average()
              .orElse(0),
          Stream.of(join.joins)
              .map(each -> each.count)
              .mapToLong(EngineStore.Count::bytesRead)
              .average()
              .orElse(0),
          join.storeBytes(),
          join.heldBytes() / size);
    }
  }
}
