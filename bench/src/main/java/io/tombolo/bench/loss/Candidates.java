// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.reliable.ProtocolConfig.Congestion;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All ways of carrying messages, by link and then by protocol: links of the laboratory, on which
 * protocols compete, and the fabrics of this machine. The command line knows no names but these.
 */
final class Candidates {
  /** Tombolo's own protocol. */
  static final String OURS = "tombolo";

  private static final String TCP = "tcp";
  private static final String GO_BACK_N = "go-back-n";

  private static final ImmutableMap<String, ImmutableMap<String, Candidate>> ALL = all();

  private Candidates() {}

  private static ImmutableMap<String, ImmutableMap<String, Candidate>> all() {
    Map<String, ImmutableMap<String, Candidate>> all = new LinkedHashMap<>(ofTheLaboratory());
    ofThisMachine().forEach(all::putIfAbsent);
    return ImmutableMap.copyOf(all);
  }

  /** The links, those of the laboratory first. */
  static ImmutableSet<String> links() {
    return ALL.keySet();
  }

  private static ImmutableMap<String, ImmutableMap<String, Candidate>> ofTheLaboratory() {
    return ImmutableMap.of(
        SimulatedCandidate.FABRIC,
        ImmutableMap.of(
            OURS, new SimulatedCandidate(OURS, Congestion.DELAY),
            TCP, new SimulatedCandidate(TCP, Congestion.LOSS),
            GO_BACK_N, new SimulatedGoBackNCandidate(GO_BACK_N)),
        UdpCandidate.FABRIC,
        ImmutableMap.of(
            OURS, new UdpCandidate(OURS, Congestion.DELAY),
            TCP, new UdpCandidate(TCP, Congestion.LOSS),
            GO_BACK_N, new UdpGoBackNCandidate(GO_BACK_N)));
  }

  /** Each of them competes with all the others. */
  private static ImmutableMap<String, ImmutableMap<String, Candidate>> ofThisMachine() {
    ImmutableMap<String, Candidate> all =
        RealFabric.all().stream()
            .collect(ImmutableMap.toImmutableMap(RealFabric::name, RealCandidate::new));
    return ImmutableMap.copyOf(Maps.transformValues(all, ours -> withOurs(all, ours)));
  }

  private static ImmutableMap<String, Candidate> withOurs(
      ImmutableMap<String, Candidate> others, Candidate ours) {
    return ImmutableMap.<String, Candidate>builder().putAll(others).put(OURS, ours).buildOrThrow();
  }

  /** The one called {@code protocol} on {@code fabric}; a {@link UsageException} if none is. */
  static Candidate named(String fabric, String protocol) {
    ImmutableMap<String, Candidate> protocols = ALL.get(fabric);
    if (protocols == null) {
      throw new UsageException("no link is called '" + fabric + "'; choose one of " + links());
    }
    Candidate candidate = protocols.get(protocol);
    if (candidate == null) {
      throw new UsageException(
          "nothing on "
              + fabric
              + " is called '"
              + protocol
              + "'; choose among "
              + protocols.keySet());
    }
    return candidate;
  }
}
