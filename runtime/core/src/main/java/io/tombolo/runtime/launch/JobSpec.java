// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.runtime.environment.JobEnvironment;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

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
    return with(draft -> draft.jvmFlags = ImmutableList.copyOf(flags));
  }

  /** This job with settings for every rank. */
  public JobSpec withSettings(ImmutableSortedMap<String, String> newSettings) {
    return with(draft -> draft.settings = newSettings);
  }

  /** This job with other times. */
  public JobSpec withTimes(Duration newTimeout, Duration newGrace) {
    return with(
        draft -> {
          draft.timeout = newTimeout;
          draft.grace = newGrace;
        });
  }

  /** This job with its store on {@code port}. */
  public JobSpec withStorePort(int port) {
    return with(draft -> draft.storePort = port);
  }

  /**
   * This job with a new process for each rank that a signal kills; it finds {@code more} after the
   * arguments, and asks the others to {@linkplain io.tombolo.runtime.Communicator#grow take it in}.
   */
  public JobSpec withReplacements(String... more) {
    return with(draft -> draft.replacements = Optional.of(ImmutableList.copyOf(more)));
  }

  /** This job as a process finds it that is started in place of another. */
  JobSpec ofReplacement() {
    ImmutableList<String> more = replacements.orElseThrow();
    return with(
        draft ->
            draft.arguments =
                ImmutableList.<String>builder().addAll(arguments).addAll(more).build());
  }

  /** This job on other hosts; it needs as many ranks as there are vendors. */
  public JobSpec on(Placement newPlacement) {
    return with(draft -> draft.placement = Optional.of(newPlacement));
  }

  private JobSpec with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return new JobSpec(
        vendors,
        mainClass,
        draft.arguments,
        draft.jvmFlags,
        draft.settings,
        draft.timeout,
        draft.grace,
        draft.storePort,
        draft.replacements,
        draft.placement);
  }

  /** What of a job can become another. */
  private static final class Draft {
    ImmutableList<String> arguments;
    ImmutableList<String> jvmFlags;
    ImmutableSortedMap<String, String> settings;
    Duration timeout;
    Duration grace;
    int storePort;
    Optional<ImmutableList<String>> replacements;
    Optional<Placement> placement;

    Draft(JobSpec job) {
      arguments = job.arguments;
      jvmFlags = job.jvmFlags;
      settings = job.settings;
      timeout = job.timeout;
      grace = job.grace;
      storePort = job.storePort;
      replacements = job.replacements;
      placement = job.placement;
    }
  }
}
