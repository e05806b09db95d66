// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.errorprone.annotations.CheckReturnValue;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A way into a job that is being set up. What is not said here is what the environment says, as
 * {@link JobEnvironment#from} reads it. Not thread-safe.
 */
@CheckReturnValue
public final class CommunicatorBuilder {
  private final Map<String, String> variables = new LinkedHashMap<>();

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
   * This process is rank {@code rank} of {@code size}, and number {@code localRank} on its host.
   */
  public CommunicatorBuilder rank(int rank, int size, int localRank) {
    variables.put("RANK", Integer.toString(rank));
    variables.put("WORLD_SIZE", Integer.toString(size));
    variables.put("LOCAL_RANK", Integer.toString(localRank));
    return this;
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
    return setting("timeout_ms", Long.toString(limit.toMillis()));
  }

  /** Any other setting, by its name without {@code TOMBOLO_}: {@code fabrics}. */
  public CommunicatorBuilder setting(String name, String value) {
    variables.put(JobEnvironment.variableOf(name), value);
    return this;
  }

  /** What has been said, as a value. */
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
    return Communicator.join(environment());
  }
}
