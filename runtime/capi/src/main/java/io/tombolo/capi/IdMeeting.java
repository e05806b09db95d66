// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStoreServer;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A rank's part in a store that one of the ranks hosts. Closed after the communicator: the host
 * waits until the others have left, so that none of them takes its end for a failure.
 *
 * @param environment who this rank is
 * @param server the store, if this process hosts it
 */
record IdMeeting(JobEnvironment environment, Optional<TcpStoreServer> server)
    implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IdMeeting.class);
  private static final String LEFT = "left";

  /** Who has failed does not say goodbye. */
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

  @Override
  public void close() {
    try {
      leave();
    } catch (TomboloException e) {
      LOG.debug("rank {} leaves without the others: {}", environment.rank(), e.getMessage());
    } finally {
      server.ifPresent(TcpStoreServer::close);
    }
  }

  private void leave() {
    try (Store store = environment.openStoreToLeave()) {
      Store left = store.within(LEFT);
      left.set(Integer.toString(environment.rank()), new byte[] {1});
      if (server.isPresent()) {
        boolean failed = FailureWatch.first(store).isPresent();
        left.awaitAll(
            IntStream.range(0, environment.size()).mapToObj(Integer::toString).toList(),
            failed ? Deadline.after(AFTER_FAILURE) : environment.partingDeadline());
      }
    }
  }
}
