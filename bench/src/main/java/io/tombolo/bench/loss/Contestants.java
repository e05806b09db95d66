package io.tombolo.bench.loss;

import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.reliable.ProtocolConfig.Congestion;

/**
 * All ways of carrying messages, by fabric and then by protocol. A new fabric is a new row; the
 * command line knows no names but these.
 */
final class Contestants {
  /** Tombolo's own protocol. */
  static final String OURS = "tombolo";

  private static final String TCP = "tcp";
  private static final String GO_BACK_N = "go-back-n";

  private static final ImmutableMap<String, ImmutableMap<String, Contestant>> ALL =
      ImmutableMap.of(
          "sim",
          ImmutableMap.of(
              OURS, new SimulatedContestant(OURS, Congestion.DELAY),
              TCP, new SimulatedContestant(TCP, Congestion.LOSS),
              GO_BACK_N, new SimulatedGoBackNContestant(GO_BACK_N)),
          "udp",
          ImmutableMap.of(
              OURS, new UdpContestant(OURS, Congestion.DELAY),
              TCP, new UdpContestant(TCP, Congestion.LOSS),
              GO_BACK_N, new UdpGoBackNContestant(GO_BACK_N)));

  private Contestants() {}

  /** The one called {@code protocol} on {@code fabric}; a {@link UsageException} if none is. */
  static Contestant named(String fabric, String protocol) {
    ImmutableMap<String, Contestant> protocols = ALL.get(fabric);
    if (protocols == null) {
      throw new UsageException("no link is called '" + fabric + "'; choose one of " + ALL.keySet());
    }
    Contestant contestant = protocols.get(protocol);
    if (contestant == null) {
      throw new UsageException(
          "nothing on "
              + fabric
              + " is called '"
              + protocol
              + "'; choose among "
              + protocols.keySet());
    }
    return contestant;
  }
}
