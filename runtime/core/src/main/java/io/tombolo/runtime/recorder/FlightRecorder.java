// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import com.google.common.hash.Hashing;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.JobRound;
import io.tombolo.runtime.bootstrap.RankClaim;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.StorePlace;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Records what this process does in what it has joined, if the setting {@code recorder} names a
 * folder; nothing else is done then, and nothing at all if it does not.
 */
public final class FlightRecorder {
  /** How the files' names end. */
  public static final String SUFFIX = ".flight";

  private static final String FOLDER = "recorder";
  private static final String OPERATIONS = "recorder_operations";
  private static final int USUAL_OPERATIONS = 1024;

  /** Operations that are under way at once have records of their own, with as many to spare. */
  private static final int FEWEST_OPERATIONS = 2 * FlightRing.MOST_UNDER_WAY;

  private final JobEnvironment environment;
  private final JobRound round;
  private final Store store;
  private final String host;

  /**
   * For a process in {@code environment}, in the {@code round} that its ranks meet in {@code
   * store}, on the host that people call {@code host}.
   */
  public FlightRecorder(JobEnvironment environment, JobRound round, Store store, String host) {
    this.environment = environment;
    this.round = round;
    this.store = store;
    this.host = host;
  }

  /**
   * Makes the file for this process's part as {@code rank} of {@code size} in the communicator
   * {@code group}; none if nothing is to be recorded.
   *
   * @throws ResourceException if it cannot be made
   */
  public Optional<FlightFile> open(int rank, int size, long group) {
    String folder = environment.settings().getOrDefault(FOLDER, "");
    return folder.isEmpty() ? Optional.empty() : Optional.of(create(folder, rank, size, group));
  }

  private FlightFile create(String folder, int rank, int size, long group) {
    FlightHeader header = header(rank, size, group);
    try {
      Path home = Files.createDirectories(Path.of(folder).toAbsolutePath());
      return FlightFile.create(home.resolve(nameOf(header)), header);
    } catch (IOException e) {
      throw new ResourceException(
          "rank %s cannot record in %s: %s; set %s to a folder that can be written to, or not at all"
              .formatted(environment.rank(), folder, e, JobEnvironment.variableOf(FOLDER)),
          e);
    }
  }

  private static String nameOf(FlightHeader header) {
    return "rank-%s.group-%s.job-%016x%s"
        .formatted(header.jobRank(), header.group(), header.job(), SUFFIX);
  }

  private FlightHeader header(int rank, int size, long group) {
    Instant now = Instant.now();
    return new FlightHeader(
        records(environment.number(OPERATIONS, USUAL_OPERATIONS)),
        rank,
        size,
        environment.rank(),
        round.number(),
        job(),
        group,
        System.nanoTime(),
        TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano(),
        environment.vendor(),
        host,
        RankClaim.ofThisProcess(),
        StorePlace.of(environment).group());
  }

  /** Ranks that have joined together see the same claim of rank 0, and nobody else ever does. */
  private long job() {
    byte[] claim = store.get(JobRound.claimOf(0)).orElse(new byte[0]);
    return Hashing.sha256().hashBytes(claim).asLong();
  }

  /** Of each kind, where {@code wanted} are asked for. */
  static int records(int wanted) {
    if (wanted < 1 || wanted > FlightFormat.MAX_RECORDS) {
      throw new UsageException(
          "%s is %s; it must be from 1 to %s"
              .formatted(JobEnvironment.variableOf(OPERATIONS), wanted, FlightFormat.MAX_RECORDS));
    }
    int power = Integer.highestOneBit(wanted);
    return Math.max(FEWEST_OPERATIONS, power == wanted ? power : power * 2);
  }
}
