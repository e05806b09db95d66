// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.job;

import com.google.common.base.Preconditions;
import com.google.common.net.HostAndPort;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Where the store of a job is that runs, and the token with which one may look at it. */
public final class JobPlace {
  private static final String TOKEN = "TOMBOLO_TOKEN";
  private static final String STORE = "TOMBOLO_STORE";

  private final HostAndPort place;
  private final Map<String, String> environment;
  private final Duration timeout;

  /**
   * The store at {@code place}, as {@code HOST:PORT}.
   *
   * @throws UsageException if that is no such thing
   */
  public JobPlace(String place, Map<String, String> environment, Duration timeout) {
    this.place = parse(place);
    this.environment = environment;
    this.timeout = timeout;
  }

  private static HostAndPort parse(String place) {
    try {
      HostAndPort parsed = HostAndPort.fromString(place);
      Preconditions.checkArgument(parsed.hasPort() && !parsed.getHost().isEmpty());
      return parsed;
    } catch (IllegalArgumentException e) {
      throw new UsageException("'" + place + "' is not HOST:PORT, such as 127.0.0.1:29500", e);
    }
  }

  /**
   * What the store shows now; of a store that torch hosts, which may have several communicators in
   * it, that of {@link TorchStore#read}.
   *
   * @throws UsageException if a token is needed and not set
   * @throws io.tombolo.base.errors.TomboloException if nobody answers there, or has no such job
   */
  public RunningJob read() {
    InetSocketAddress address = new InetSocketAddress(place.getHost(), place.getPort());
    Deadline deadline = Deadline.after(timeout);
    if (environment.getOrDefault(STORE, "").equals("torch")) {
      try (TcpStore store = TcpStore.connectPlain(address, deadline)) {
        return new TorchStore(store).read(token());
      }
    }
    JobToken token = token().orElseThrow(JobPlace::noToken);
    try (Store store = TcpStore.connect(address, token, deadline)) {
      return RunningJob.read(store);
    }
  }

  private Optional<JobToken> token() {
    String hex = environment.getOrDefault(TOKEN, "");
    return hex.isEmpty() ? Optional.empty() : Optional.of(JobToken.parse(hex));
  }

  static UsageException noToken() {
    return new UsageException(
        TOKEN
            + " is not set: a job shows itself to those who have its token. Before the job starts,"
            + " set it there and here, made once with: openssl rand -hex 32");
  }
}
