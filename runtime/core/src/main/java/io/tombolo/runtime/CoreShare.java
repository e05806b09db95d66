// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.exec.agent.Cores;
import io.tombolo.runtime.exec.engine.Reducers;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How many of a host's cores there are for each rank of the job that may run on them. Ranks of
 * other jobs are not known, nor are those in containers that this one shares no host id with.
 *
 * @param cores that this process may use, by affinity and by its cgroup
 * @param ranks of the job on this host that may use some of the same
 * @param emulated whether devices of such ranks are emulated: then their work needs cores, too
 */
record CoreShare(int cores, int ranks, boolean emulated) {
  private static final String REDUCERS = "reducers";
  private static final int MAX_REDUCERS = 64;

  /** That of {@code rank} among {@code all}, on a host of {@code cores}. */
  static CoreShare of(List<RankDescriptor> all, int rank, int cores) {
    RankDescriptor here = all.get(rank);
    List<RankDescriptor> neighbours = all.stream().filter(each -> mayMeet(here, each)).toList();
    Set<String> emulations =
        Vendors.all().stream()
            .filter(vendor -> vendor.provenance() == Vendor.Provenance.EMULATED)
            .map(Vendor::name)
            .collect(Collectors.toSet());
    return new CoreShare(
        cores,
        neighbours.size(),
        neighbours.stream().anyMatch(each -> emulations.contains(each.vendor())));
  }

  /** Not if both are bound to processors of their host, and to none that the other may use. */
  private static boolean mayMeet(RankDescriptor one, RankDescriptor other) {
    boolean areApart =
        one.processors().size() > 0
            && other.processors().size() > 0
            && !one.processors().intersects(other.processors());
    return one.hostId().equals(other.hostId()) && !areApart;
  }

  /** What a rank has at least, on a host of {@code cores}: all {@code ranks} may be there. */
  static CoreShare atLeast(int ranks, int cores) {
    return new CoreShare(cores, ranks, true);
  }

  /** Whether each rank has a core to itself. */
  boolean isOneEach() {
    return ranks <= cores && !emulated;
  }

  /** Whether there are as many cores as ranks, if emulated devices take what the ranks leave. */
  boolean isEnough() {
    return ranks <= cores;
  }

  /** Which core a rank's callers have to wait on. */
  Cores forWaits() {
    return isOneEach() ? Cores.OWN : isEnough() ? Cores.ENOUGH : Cores.SCARCE;
  }

  /** Threads for arithmetic that find a core besides those of the agents and emulated devices. */
  int reducerThreads() {
    return Reducers.threadsFor(cores, emulated ? 2 * ranks : ranks);
  }

  /** The setting {@code reducers}; by itself, what the cores of this host leave to each rank. */
  int reducerThreads(JobEnvironment environment) {
    int threads = environment.number(REDUCERS, reducerThreads());
    if (threads > MAX_REDUCERS) {
      throw new UsageException(
          "%s is %s; it must be at most %s"
              .formatted(JobEnvironment.variableOf(REDUCERS), threads, MAX_REDUCERS));
    }
    return threads;
  }
}
