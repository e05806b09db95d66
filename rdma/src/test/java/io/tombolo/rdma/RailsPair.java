// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.rdma.rails.Rail;
import io.tombolo.rdma.rails.RailsFabric;
import io.tombolo.rdma.tcp.TcpMedium;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Two processes with several rails over TCP, in one thread, and a channel between them. */
final class RailsPair implements AutoCloseable {
  private static final Duration BUDGET = Duration.ofSeconds(60);

  final ImmutableList<CutRail> lowRails;
  final ImmutableList<CutRail> highRails;
  final Fabric low;
  final Fabric high;
  final Channel fromLow;
  final Channel fromHigh;

  /** Opens what a rail is over. */
  interface Opener {
    Fabric open(FabricSettings settings, int rail);
  }

  /** Rails over TCP. */
  RailsPair(SlotGeometry geometry, boolean isFenced, int... rates) {
    this(geometry, isFenced, rates, rates);
  }

  RailsPair(SlotGeometry geometry, boolean isFenced, int[] lowRates, int[] highRates) {
    this(geometry, isFenced, lowRates, highRates, (settings, rail) -> Kind.TCP.open(settings));
  }

  RailsPair(
      SlotGeometry geometry, boolean isFenced, int[] lowRates, int[] highRates, Opener opener) {
    JobToken token = JobToken.random();
    List<CutRail> lows = new ArrayList<>();
    List<CutRail> highs = new ArrayList<>();
    low = open(settings(0, token, geometry), isFenced, lowRates, lows, opener);
    high = open(settings(1, token, geometry), isFenced, highRates, highs, opener);
    lowRails = ImmutableList.copyOf(lows);
    highRails = ImmutableList.copyOf(highs);
    fromLow = low.connect(1, high.address(), 7, Deadline.after(BUDGET));
    fromHigh = high.connect(0, low.address(), 7, Deadline.after(BUDGET));
  }

  private static FabricSettings settings(int rank, JobToken token, SlotGeometry geometry) {
    return new FabricSettings(rank, token, HostPinner.none(), geometry, Ticker.systemTicker());
  }

  private static Fabric open(
      FabricSettings settings, boolean isFenced, int[] rates, List<CutRail> cuts, Opener opener) {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    IntStream.range(0, rates.length)
        .forEach(i -> cuts.add(new CutRail(opener.open(settings, i), isFenced)));
    List<Rail> rails =
        IntStream.range(0, rates.length)
            .mapToObj(i -> new Rail(cuts.get(i), "nic" + i, rates[i]))
            .toList();
    return rails.size() == 1
        ? RailsFabric.over(rails.get(0), settings)
        : RailsFabric.over(rails, TcpMedium.open(settings.pinner(), bind), settings);
  }

  /** Drives both sides until all rails carry: with the first one, the channel counts as open. */
  void openAll() {
    until(() -> fromLow.isOpen() && fromHigh.isOpen());
    until(() -> Stream.concat(lowRails.stream(), highRails.stream()).allMatch(CutRail::isOpen));
  }

  void until(BooleanSupplier condition) {
    Deadline deadline = Deadline.after(BUDGET);
    while (!condition.getAsBoolean()) {
      step();
      if (deadline.isExpired()) {
        throw new AssertionError("nothing came of it within " + deadline);
      }
    }
  }

  void step() {
    low.progress();
    high.progress();
  }

  @Override
  public void close() {
    low.close();
    high.close();
  }
}
