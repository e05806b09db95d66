// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.errorprone.annotations.CheckReturnValue;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.CallbackStore;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A way into a job that is being set up. What is not said here is what the environment says, as
 * {@link JobEnvironment#from} reads it. Not thread-safe.
 */
@CheckReturnValue
public final class CommunicatorBuilder {
  private static final String LOCAL_SIZE = "LOCAL_WORLD_SIZE";

  private final Map<String, String> variables = new LinkedHashMap<>();
  private Optional<Store> store = Optional.empty();

  CommunicatorBuilder() {
    variables.putAll(System.getenv());
  }

  /** Takes {@code environment} in place of this process's. */
  public CommunicatorBuilder environment(Map<String, String> environment) {
    variables.clear();
    variables.putAll(environment);
    return this;
  }

  /**
   * This process is rank {@code rank} of the {@code size} that this communicator has, and number
   * {@code localRank} of those on its host. A process may be in several communicators, and join
   * them in any order and from several threads.
   */
  public CommunicatorBuilder rank(int rank, int size, int localRank) {
    variables.remove(LOCAL_SIZE); // which counts the launcher's ranks
    variables.put("RANK", Integer.toString(rank));
    variables.put("WORLD_SIZE", Integer.toString(size));
    variables.put("LOCAL_RANK", Integer.toString(localRank));
    return this;
  }

  /**
   * How many of this communicator's ranks are on this host. If all are, nothing else has to say
   * where they reach each other; else {@code MASTER_ADDR} must name a host on the way.
   */
  public CommunicatorBuilder localSize(int localSize) {
    variables.put(LOCAL_SIZE, Integer.toString(localSize));
    return this;
  }

  /**
   * The ranks meet in {@code handedIn}, which stays open: it belongs to the caller, and must work
   * until the communicator is closed. {@link CallbackStore} makes one of any key-value store that
   * the program has. Nothing listens, and no launcher is needed.
   *
   * <p>With a {@link #token} values are sealed, and one that somebody else wrote is an error.
   * Without one the ranks agree on a token there: whoever reads the store can join them.
   */
  public CommunicatorBuilder store(Store handedIn) {
    store = Optional.of(handedIn);
    return this;
  }

  /**
   * The communicator's name, the same on all its ranks: several in one store need one each, of any
   * characters.
   */
  public CommunicatorBuilder group(String name) {
    return setting(JobEnvironment.GROUP, name);
  }

  /**
   * How often this communicator's ranks have been started before, the same on all of them: what an
   * earlier generation left in the store does not count. As a rule torchrun says it ({@code
   * TORCHELASTIC_RESTART_COUNT}).
   */
  public CommunicatorBuilder generation(int number) {
    return setting(JobEnvironment.GENERATION, Integer.toString(number));
  }

  /** The job's store listens at {@code host} and {@code port}. */
  public CommunicatorBuilder store(String host, int port) {
    variables.put("MASTER_ADDR", host);
    variables.put("MASTER_PORT", Integer.toString(port));
    return this;
  }

  /** The job's secret, 64 hexadecimal digits. */
  public CommunicatorBuilder token(String hex) {
    return setting("token", hex);
  }

  /** The vendor of this process's device: {@code nvidia}, {@code host}. */
  public CommunicatorBuilder vendor(String vendor) {
    return setting("vendor", vendor);
  }

  /** How long any wait may take. */
  public CommunicatorBuilder timeout(Duration limit) {
    return setting("timeout_ms", Long.toString(Deadline.bounded(limit).toMillis()));
  }

  /** Any other setting, by its name without {@code TOMBOLO_}: {@code fabrics}. */
  public CommunicatorBuilder setting(String name, String value) {
    variables.put(JobEnvironment.variableOf(name), value);
    return this;
  }

  /** What has been said, as a value; a {@linkplain #store(Store) store} is no part of it. */
  public JobEnvironment environment() {
    return JobEnvironment.from(variables);
  }

  /**
   * Joins; blocks until all ranks came and agreed.
   *
   * @throws TomboloException naming what is missing, or the ranks that are missing, disagree or
   *     failed, within the timeout
   */
  public Communicator join() {
    JobEnvironment mine = found();
    return Communicator.join(mine, place(mine));
  }

  /**
   * Joins a running communicator that is to grow: blocks until its ranks call {@link
   * Communicator#grow} and take this process in. Its rank and size are those that it gets there;
   * what {@link #rank} says of them does not count. The rest is as for {@link #join}.
   *
   * @param limit how long this process waits to be taken in; joining has its own time
   * @throws TomboloException if it is not, or as {@link #join}
   */
  public Communicator joinGrowing(Duration limit) {
    JobEnvironment mine = found();
    return Growth.join(mine, place(mine), limit);
  }

  private JobEnvironment found() {
    return store
        .map(handedIn -> HandedInStore.environment(handedIn, variables))
        .orElseGet(this::environment);
  }

  private MeetingPlace place(JobEnvironment mine) {
    return store
        .map(handedIn -> HandedInStore.place(handedIn, mine, variables))
        .orElseGet(() -> MeetingPlace.of(mine));
  }
}
