package io.tombolo.bench.loss;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
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
      ImmutableMap.<String, ImmutableMap<String, Contestant>>builder()
          .putAll(withFaults())
          .putAll(ofThisMachine())
          .buildOrThrow();

  private Contestants() {}

  private static ImmutableMap<String, ImmutableMap<String, Contestant>> withFaults() {
    return ImmutableMap.of(
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
  }

  /** Each of them competes with all the others. */
  private static ImmutableMap<String, ImmutableMap<String, Contestant>> ofThisMachine() {
    ImmutableMap<String, Contestant> all =
        ImmutableMap.copyOf(Maps.transformEntries(RealFabric.ALL, RealContestant::new));
    return ImmutableMap.copyOf(Maps.transformValues(all, ours -> withOurs(all, ours)));
  }

  private static ImmutableMap<String, Contestant> withOurs(
      ImmutableMap<String, Contestant> others, Contestant ours) {
    return ImmutableMap.<String, Contestant>builder().putAll(others).put(OURS, ours).buildOrThrow();
  }

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
