// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Availability;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.Fabrics;
import io.tombolo.runtime.environment.JobEnvironment;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * What people say about a job on a command line, as they say it.
 *
 * @param clusters vendors and their numbers of ranks: {@code emu-nvidia:2,emu-amd:2}; null for
 *     those of {@code order}, or {@link #USUAL_CLUSTERS}
 * @param order the vendor of each rank, or null for cluster after cluster
 * @param fabric what carries bytes between clusters: the name of one of {@link Fabrics#all}, or
 *     {@code auto}
 * @param timeoutSeconds how long any wait may take
 * @param storePort port of the job's store; 0 takes any free one
 * @param placement the ranks' hosts; empty for this one
 */
public record JobOptions(
    String clusters,
    String order,
    String fabric,
    double timeoutSeconds,
    int storePort,
    Optional<Placement> placement) {
  /** What a job has that nothing was said about: it runs on any machine. */
  public static final String USUAL_CLUSTERS = "emu-nvidia:2,emu-amd:2";

  /** The fabric of who leaves the choice to Tombolo. */
  static final String AUTO = "auto";

  private static final double MAX_SECONDS = 86_400;
  private static final int MAX_PORTS = 65_536;

  /** The vendor of each rank; a {@link UsageException} says what is wrong with the options. */
  public ClusterSpec clusterSpec() {
    if (order == null) {
      return ClusterSpec.parse(clusters == null ? USUAL_CLUSTERS : clusters);
    }
    return clusters == null ? ClusterSpec.ordered(order) : ClusterSpec.parse(clusters, order);
  }

  /** How long any wait may take. */
  public Duration timeout() {
    if (!(timeoutSeconds >= 0.001 && timeoutSeconds <= MAX_SECONDS)) {
      throw new UsageException(
          "a timeout is from 0.001 to " + (long) MAX_SECONDS + " seconds, not " + timeoutSeconds);
    }
    return Duration.ofMillis(Math.round(timeoutSeconds * 1000));
  }

  /** The settings that ranks need to know; jobs from the command line prove each new plan. */
  public ImmutableSortedMap<String, String> settings() {
    ImmutableSortedMap.Builder<String, String> settings = ImmutableSortedMap.naturalOrder();
    settings.put("verify_plans", "1");
    if (!AUTO.equals(fabric)) {
      if (!Fabrics.names().contains(fabric)) {
        throw new UsageException(
            "no fabric is called '"
                + fabric
                + "'; choose "
                + AUTO
                + " or one of "
                + Fabrics.names());
      }
      settings.put("fabrics", fabric);
    }
    return settings.buildOrThrow();
  }

  /**
   * A job of these options, in which every rank runs {@code mainClass} with {@code arguments}.
   *
   * @throws UsageException if the options make no sense or name a vendor nobody knows
   * @throws UnavailableException if a vendor cannot be used here, where the ranks are to run: why,
   *     and what to do about it
   */
  public JobSpec job(Class<?> mainClass, List<String> arguments) {
    ClusterSpec spec = clusterSpec();
    if (placement.isPresent()) {
      placement.get().checkSize(spec.size()); // what can be used there, each rank finds out
    } else {
      new LinkedHashSet<>(spec.vendors()).forEach(JobOptions::requireAvailable);
    }
    if (storePort < 0 || storePort >= MAX_PORTS) {
      throw new UsageException("a port is from 1 to " + (MAX_PORTS - 1) + ", not " + storePort);
    }
    JobSpec here =
        JobSpec.of(spec, mainClass, arguments.toArray(String[]::new))
            .withJvmFlags(jvmFlags().toArray(String[]::new))
            .withSettings(settings())
            .withTimes(timeout(), JobSpec.DEFAULT_GRACE)
            .withStorePort(storePort);
    return placement.map(here::on).orElse(here);
  }

  private static void requireAvailable(String name) {
    Vendor vendor = Vendors.named(name);
    if (vendor.availability() instanceof Availability.Missing missing) {
      throw new UnavailableException(
          "vendor '" + name + "' cannot be used here: " + missing.cause() + "; " + missing.fix());
    }
  }

  private boolean spansHosts() {
    return placement.isPresent() && new HashSet<>(placement.get().hosts()).size() > 1;
  }

  /** Those asked for, here or in the environment, which the ranks have as well; blank for none. */
  private String fabrics() {
    return AUTO.equals(fabric)
        ? System.getenv().getOrDefault(JobEnvironment.variableOf("fabrics"), "")
        : fabric;
  }

  /**
   * Many small JVMs share this host: the plainest collector, the launcher's class data where it has
   * some to share, its log level, and {@link Compilers}. Then come the user's own, a line each: of
   * two that contradict each other, Java takes the later one.
   */
  private List<String> jvmFlags() {
    ImmutableList.Builder<String> flags = ImmutableList.builder();
    flags.add("-XX:+UseSerialGC").addAll(Compilers.flags(spansHosts(), fabrics()));
    String archive = System.getProperty("tombolo.archive");
    if (archive != null) { // other Java than the launcher's runs without, and need not say so
      flags.add("-XX:SharedArchiveFile=" + archive).add("-Xlog:cds*=off");
    }
    String level = System.getProperty("tombolo.log");
    if (level != null) {
      flags.add("-Dtombolo.log=" + level);
    }
    String users = System.getProperty("tombolo.java.opts");
    if (users != null) {
      flags.addAll(Splitter.on('\n').split(users));
    }
    return flags.build();
  }
}
