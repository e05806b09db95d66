// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.net.HostAndPort;
import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.topology.launch.Launcher;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who this process is in its job, as its launcher says it in environment variables.
 *
 * <pre>
 *   RANK, WORLD_SIZE, LOCAL_RANK    numbers from 0, below WORLD_SIZE
 *   MASTER_ADDR, MASTER_PORT        where the store listens
 *   TOMBOLO_STORE                   "tombolo", "torch" or "rank0": who hosts it
 *   TOMBOLO_TOKEN                   the job's secret, 64 hexadecimal digits
 *   TOMBOLO_VENDOR                  the vendor of this rank's device
 *   TOMBOLO_TIMEOUT_MS              the time any wait may take; default 300000
 *   TOMBOLO_&lt;NAME&gt;             any other: the setting "name"
 * </pre>
 *
 * What other launchers say under other names is understood too, see {@link
 * io.tombolo.topology.launch.LaunchEnvironment}.
 *
 * @param rank this process's number in the job, from 0
 * @param size number of ranks in the job
 * @param localRank its number on its host, from 0
 * @param storeHost host of the store
 * @param storePort port of the store
 * @param storeKind who hosts the store
 * @param token the job's secret
 * @param vendor vendor of this rank's device
 * @param timeout how long any wait may take
 * @param settings further settings, by lower-case name
 */
public record JobEnvironment(
    int rank,
    int size,
    int localRank,
    String storeHost,
    int storePort,
    StoreKind storeKind,
    JobToken token,
    String vendor,
    Duration timeout,
    ImmutableSortedMap<String, String> settings) {

  /** Who hosts the store. */
  public enum StoreKind {
    /** This project's launcher: both sides prove the token. */
    TOMBOLO,
    /** torchrun or another torch process: values carry seals instead. */
    TORCH,
    /** Rank 0, with the token as for {@link #TOMBOLO}; see {@code JoinedJob}. */
    RANK0
  }

  /** The setting that says which of its vendor's devices a rank opens. */
  public static final String DEVICE = "device";

  /** The setting that says where a rank combines elements. */
  public static final String REDUCE = "reduce";

  /** The setting that tells communicators of one store apart. */
  public static final String GROUP = "group";

  /** The setting that counts how often the ranks have been started. */
  public static final String GENERATION = "generation";

  /** The setting that says within how many milliseconds who is silent is found; 0: never. */
  private static final String LIVENESS = "liveness_ms";

  private static final int USUAL_LIVENESS_MS = 10_000;

  /**
   * How long any wait may take unless told otherwise. Ranks of a healthy program may come to a call
   * minutes apart, when one of them writes a checkpoint or compiles; what has died is told by
   * liveness, long before.
   */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);

  private static final Duration LONGEST_PARTING = Duration.ofSeconds(10);

  /** Checks that the numbers fit each other; a timeout of over a hundred years is cut to that. */
  public JobEnvironment {
    EnvironmentReader.checkBelow("RANK", rank, "WORLD_SIZE", size);
    EnvironmentReader.checkBelow("LOCAL_RANK", localRank, "WORLD_SIZE", size);
    if (timeout.isNegative() || timeout.isZero()) {
      throw new UsageException("TOMBOLO_TIMEOUT_MS must be positive; it is " + timeout.toMillis());
    }
    timeout = Deadline.bounded(timeout);
  }

  /**
   * Reads the environment of this process, {@link System#getenv()} as a rule.
   *
   * @throws UsageException naming the variable that is missing, malformed or in contradiction to
   *     another
   */
  public static JobEnvironment from(Map<String, String> environment) {
    return new EnvironmentReader(environment).read();
  }

  /** Who hosts the store in a job with {@code environment}, of which more may be missing. */
  public static StoreKind storeKindOf(Map<String, String> environment) {
    return new EnvironmentReader(environment).storeKind();
  }

  /** How long any wait may take in a job with {@code environment}, of which more may be missing. */
  public static Duration timeoutOf(Map<String, String> environment) {
    return new EnvironmentReader(environment).timeout();
  }

  /** The settings of a job with {@code environment}, of which all else may be missing. */
  public static ImmutableSortedMap<String, String> settingsOf(Map<String, String> environment) {
    return new EnvironmentReader(environment).settings();
  }

  /**
   * The settings that {@code TOMBOLO_} variables of {@code environment} say, and nothing that a
   * launcher does. Never fails: for processes of no job, whatever else is in their environment.
   */
  public static ImmutableSortedMap<String, String> plainSettingsOf(
      Map<String, String> environment) {
    return EnvironmentReader.plainSettings(environment);
  }

  /**
   * The variables from which {@link #from} makes an equal value; what a launcher hands to a rank.
   */
  public ImmutableMap<String, String> toVariables() {
    ImmutableMap.Builder<String, String> variables = ImmutableMap.builder();
    variables
        .put(Launcher.TOMBOLO_EVIDENCE, "tombolo")
        .put("RANK", Integer.toString(rank))
        .put("WORLD_SIZE", Integer.toString(size))
        .put("LOCAL_RANK", Integer.toString(localRank))
        .put("MASTER_ADDR", storeHost)
        .put("MASTER_PORT", Integer.toString(storePort))
        .put("TOMBOLO_STORE", storeKind.name().toLowerCase(Locale.ROOT))
        .put("TOMBOLO_TOKEN", token.hex())
        .put("TOMBOLO_VENDOR", vendor)
        .put("TOMBOLO_TIMEOUT_MS", Long.toString(timeout.toMillis()));
    settings.forEach((name, value) -> variables.put(variableOf(name), value));
    return variables.buildOrThrow();
  }

  /** Where the job's store listens, by the name that its host was given. */
  public HostAndPort storeAddress() {
    return HostAndPort.fromParts(storeHost, storePort);
  }

  /**
   * A new connection to the job's store, to the {@linkplain StorePlace place} in it that is this
   * communicator's; whoever asks for it closes it.
   */
  public Store openStore() {
    return openStore(StorePlace.of(this));
  }

  /** As the other, to {@code place}. */
  public Store openStore(StorePlace place) {
    return openStore(place, deadline());
  }

  /**
   * As the other, for a last word: who hosts the store may have gone, and is not waited for as one
   * that is about to come. Tries until the {@link #partingDeadline}.
   */
  public Store openStoreToLeave() {
    return openStore(StorePlace.of(this), partingDeadline());
  }

  private Store openStore(StorePlace place, Deadline deadline) {
    InetSocketAddress address = new InetSocketAddress(storeHost, storePort);
    try {
      return place.in(connect(address, deadline));
    } catch (ResourceException e) {
      throw e.during("rank " + rank);
    }
  }

  private Store connect(InetSocketAddress address, Deadline deadline) {
    Duration silence = liveness().isZero() ? TcpStore.SILENCE : liveness();
    return storeKind == StoreKind.TORCH
        ? TcpStore.connectForeign(address, token, silence, deadline)
        : TcpStore.connect(address, token, silence, deadline);
  }

  /** The time within which ranks, and a store, that are silent are found; zero: they are not. */
  public Duration liveness() {
    return livenessOf(settings);
  }

  /** That of ranks with {@code settings}. */
  public static Duration livenessOf(Map<String, String> settings) {
    return Duration.ofMillis(number(settings, LIVENESS, USUAL_LIVENESS_MS));
  }

  /** The rank whose process hosts the store, if one does. */
  public Optional<Integer> storeRank() {
    return storeKind == StoreKind.RANK0 ? Optional.of(0) : Optional.empty();
  }

  /** That of the same process, with the same device, as {@code newRank} of only some ranks. */
  public JobEnvironment among(int newRank, int newSize) {
    Map<String, String> named = new TreeMap<>(settings);
    named.put(DEVICE, Integer.toString(number(DEVICE, localRank)));
    return new JobEnvironment(
        newRank,
        newSize,
        Math.min(localRank, newSize - 1),
        storeHost,
        storePort,
        storeKind,
        token,
        vendor,
        timeout,
        ImmutableSortedMap.copyOf(named));
  }

  /**
   * That of the same process where it meets other ranks than its job's, in a store of Tombolo's at
   * {@code address}, and combines nothing.
   */
  public JobEnvironment meetingAt(InetSocketAddress address, JobToken theirToken) {
    Map<String, String> kept = new TreeMap<>(settings);
    kept.keySet().removeAll(Set.of(GROUP, GENERATION));
    kept.put(REDUCE, "host");
    return new JobEnvironment(
        rank,
        size,
        localRank,
        address.getHostString(),
        address.getPort(),
        StoreKind.TOMBOLO,
        theirToken,
        vendor,
        timeout,
        ImmutableSortedMap.copyOf(kept));
  }

  /**
   * Until when who hosts the store waits for the others to say that they need it no more: they are
   * done as well, and have only that to say.
   */
  public Deadline partingDeadline() {
    return Deadline.after(timeout.compareTo(LONGEST_PARTING) < 0 ? timeout : LONGEST_PARTING);
  }

  /** A deadline of {@link #timeout} from now. */
  public Deadline deadline() {
    return Deadline.after(timeout);
  }

  /**
   * The setting {@code name} as a whole number, {@code fallback} where it is not set.
   *
   * @throws UsageException naming the variable, if it is not a number from 0
   */
  public int number(String name, int fallback) {
    return number(settings, name, fallback);
  }

  private static int number(Map<String, String> settings, String name, int fallback) {
    String text = settings.get(name);
    Integer number = text == null ? Integer.valueOf(fallback) : Ints.tryParse(text);
    if (number == null || number < 0) {
      throw new UsageException(
          variableOf(name) + " must be a whole number from 0; it is '" + text + "'");
    }
    return number;
  }

  /** The environment variable that carries the setting {@code name}. */
  public static String variableOf(String name) {
    return EnvironmentReader.PREFIX + name.toUpperCase(Locale.ROOT);
  }
}
