// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.calibration;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.Hashing;
import io.tombolo.topology.machine.CostModel;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.LinkCost;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the paths of a job cost, as one rank found and all ranks took over. A value of whole
 * numbers: ranks that hold equal ones decide alike.
 *
 * @param key names the job's ranks, devices, hosts and fabrics; figures are good for that alone
 * @param host the name of the host of rank 0
 * @param subject what the key stands for, for people
 * @param measuredAt when
 * @param paths what was measured, at most once per kind and pair
 */
public record Calibration(
    String key,
    String host,
    String subject,
    Instant measuredAt,
    ImmutableList<MeasuredPath> paths) {
  private static final Calibration NONE =
      new Calibration("", "", "", Instant.EPOCH, ImmutableList.of());

  /** Without any measurement: costs are nominal. */
  public static Calibration none() {
    return NONE;
  }

  /** Whether nothing was measured. */
  public boolean isNone() {
    return paths.isEmpty();
  }

  /** What {@code kind} of path costs under {@code name}: the median latency and bandwidth. */
  public Optional<LinkCost> cost(PathKind kind, String name, boolean network) {
    return median(
        paths.stream()
            .filter(path -> path.kind() == kind && path.network() == network)
            .filter(path -> path.name().equals(name))
            .map(MeasuredPath::cost)
            .toList());
  }

  /**
   * The same figures by class of link: from device to device through a vendor's library; through
   * the memory of their host; through the network. The latter two begin and end with a copy.
   */
  public CostModel costs() {
    CostModel costs = CostModel.nominal();
    Optional<LinkCost> vendor = typical(PathKind.VENDOR, false);
    if (vendor.isPresent()) {
      costs = costs.withMeasured(LinkClass.VENDOR, vendor.get());
    }
    Optional<LinkCost> local = betweenDevices(false);
    if (local.isPresent()) {
      costs = costs.withMeasured(LinkClass.SYSTEM, local.get());
    }
    Optional<LinkCost> network = betweenDevices(true);
    return network.isPresent() ? costs.withMeasured(LinkClass.NETWORK, network.get()) : costs;
  }

  /**
   * What ranks compare: a digest of the figures, {@code none} without any. The time of measuring is
   * not part of it.
   */
  public String digest() {
    return isNone() ? "none" : Hashing.sha256().hashString(key + paths, UTF_8).toString();
  }

  private Optional<LinkCost> betweenDevices(boolean network) {
    Optional<LinkCost> copy = typical(PathKind.COPY, false);
    return typical(PathKind.FABRIC, network)
        .map(fabric -> copy.map(each -> each.then(fabric).then(each)).orElse(fabric));
  }

  /** What {@code kind} of path costs, whoever's it is: the median latency and bandwidth. */
  public Optional<LinkCost> typical(PathKind kind, boolean network) {
    return median(
        paths.stream()
            .filter(path -> path.kind() == kind && path.network() == network)
            .map(MeasuredPath::cost)
            .toList());
  }

  private static Optional<LinkCost> median(List<LinkCost> costs) {
    if (costs.isEmpty()) {
      return Optional.empty();
    }
    int middle = (costs.size() - 1) / 2; // of two, the better: disturbances only slow down
    List<Long> latencies = costs.stream().map(LinkCost::latencyPs).sorted().toList();
    List<Integer> bandwidths =
        costs.stream().map(LinkCost::megabytesPerSecond).sorted(Comparator.reverseOrder()).toList();
    return Optional.of(new LinkCost(latencies.get(middle), bandwidths.get(middle)));
  }
}
