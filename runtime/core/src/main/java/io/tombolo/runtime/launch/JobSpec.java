// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.runtime.environment.JobEnvironment;
import java.time.Duration;
import java.util.Optional;

/**
 * A job to start.
 *
 * @param vendors the vendor of each rank's device, by rank
 * @param mainClass what every rank runs; found on this process's class path or module path
 * @param arguments its arguments, the same for every rank
 * @param jvmFlags flags for every rank's JVM, such as {@code -Xmx256m}
 * @param settings what the ranks find in {@link JobEnvironment#settings}
 * @param timeout how long any wait of a rank may take
 * @param grace how long ranks may go on after the job has failed
 * @param storePort port of the job's store; 0 takes any free one
 * @param replacements what processes find after these arguments that are started in place of ranks
 *     killed by a signal; empty if none are
 * @param placement the ranks' hosts; empty for this one, where the store listens on 127.0.0.1 only
 */
public record JobSpec(
    ImmutableList<String> vendors,
    Class<?> mainClass,
    ImmutableList<String> arguments,
    ImmutableList<String> jvmFlags,
    ImmutableSortedMap<String, String> settings,
    Duration timeout,
    Duration grace,
    int storePort,
    Optional<ImmutableList<String>> replacements,
    Optional<Placement> placement) {

  /** How long ranks may go on after the job has failed, unless told otherwise. */
  public static final Duration DEFAULT_GRACE = Duration.ofSeconds(3);

  /** A job with the usual times, any port, and no flags or settings. */
  public static JobSpec of(ClusterSpec clusters, Class<?> mainClass, String... arguments) {
    return new JobSpec(
        clusters.vendors(),
        mainClass,
        ImmutableList.copyOf(arguments),
        ImmutableList.of(),
        ImmutableSortedMap.of(),
        JobEnvironment.DEFAULT_TIMEOUT,
        DEFAULT_GRACE,
        0,
        Optional.empty(),
        Optional.empty());
  }

  /** This job with flags for every rank's JVM. */
  public JobSpec withJvmFlags(String... flags) {
    return new JobSpec(
        vendors,
        mainClass,
        arguments,
        ImmutableList.copyOf(flags),
        settings,
        timeout,
        grace,
        storePort,
        replacements,
        placement);
  }

  /** This job with settings for every rank. */
  public JobSpec withSettings(ImmutableSortedMap<String, String> newSettings) {
    return new JobSpec(
        vendors,
        mainClass,
        arguments,
        jvmFlags,
        newSettings,
        timeout,
        grace,
        storePort,
        replacements,
        placement);
  }

  /** This job with other times. */
  public JobSpec withTimes(Duration newTimeout, Duration newGrace) {
    return new JobSpec(
        vendors,
        mainClass,
        arguments,
        jvmFlags,
        settings,
        newTimeout,
        newGrace,
        storePort,
        replacements,
        placement);
  }

  /** This job with its store on {@code port}. */
  public JobSpec withStorePort(int port) {
    return new JobSpec(
        vendors,
        mainClass,
        arguments,
        jvmFlags,
        settings,
        timeout,
        grace,
        port,
        replacements,
        placement);
  }

  /**
   * This job with a new process for each rank that a signal kills; it finds {@code more} after the
   * arguments, and asks the others to {@linkplain io.tombolo.runtime.Communicator#grow take it in}.
   */
  public JobSpec withReplacements(String... more) {
    return new JobSpec(
        vendors,
        mainClass,
        arguments,
        jvmFlags,
        settings,
        timeout,
        grace,
        storePort,
        Optional.of(ImmutableList.copyOf(more)),
        placement);
  }

  /** This job as a process finds it that is started in place of another. */
  JobSpec ofReplacement() {
    return new JobSpec(
        vendors,
        mainClass,
        ImmutableList.<String>builder()
            .addAll(arguments)
            .addAll(replacements.orElseThrow())
            .build(),
        jvmFlags,
        settings,
        timeout,
        grace,
        storePort,
        replacements,
        placement);
  }

  /** This job on other hosts; it needs as many ranks as there are vendors. */
  public JobSpec on(Placement newPlacement) {
    return new JobSpec(
        vendors,
        mainClass,
        arguments,
        jvmFlags,
        settings,
        timeout,
        grace,
        storePort,
        replacements,
        Optional.of(newPlacement));
  }
}
