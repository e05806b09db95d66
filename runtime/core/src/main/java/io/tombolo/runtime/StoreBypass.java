// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.bootstrap.FailureWatch;
import io.tombolo.runtime.bootstrap.JobFailure;
import io.tombolo.runtime.bootstrap.StoreHost;
import io.tombolo.runtime.consensus.AcceptorHost;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a rank tells the others that it has lost the job's store, which they may still have: its
 * process lives, and who is near takes its silence for slowness. It leaves the failure with one of
 * the processes that host acceptors, and that one passes it on.
 */
final class StoreBypass {
  private static final Logger LOG = LoggerFactory.getLogger(StoreBypass.class);

  /** The place in an acceptor's store where failures are left. */
  private static final String PLACE = "bypass";

  /** An acceptor that says nothing for so long is passed over. */
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private StoreBypass() {}

  /** Hears what is left with {@code host}, the acceptor of this process. */
  static FailureWatch listen(Session session, AcceptorHost host) {
    Store place =
        AcceptorHost.connect(
                host.address(), session.environment().token(), session.environment().deadline())
            .narrowedTo(PLACE);
    return FailureWatch.start(
        place,
        StoreHost.here(),
        failure -> passOn(session, failure),
        (group, failure) -> {},
        lost -> LOG.warn("rank {} hears no more of who loses the store", session.rank()));
  }

  /** All hear of it through the job's store; this rank at least, if that is gone. */
  private static void passOn(Session session, JobFailure failure) {
    try {
      FailureWatch.report(session.store(), failure);
    } catch (TomboloException e) {
      session.failures().stop(failure);
    }
  }

  /** Leaves {@code failure} with the next rank that takes it, on a thread of its own. */
  static void tell(Session session, JobFailure failure) {
    Thread thread = new Thread(() -> leave(session, failure), "tombolo-bypass");
    thread.setDaemon(true);
    thread.start();
  }

  private static void leave(Session session, JobFailure failure) {
    for (byte[] address : acceptorsAfter(session)) {
      Deadline deadline = Deadline.after(LIMIT);
      try (Store acceptor =
          AcceptorHost.connect(address, session.environment().token(), deadline)) {
        FailureWatch.report(acceptor.within(PLACE), failure);
        return;
      } catch (TomboloException e) {
        LOG.debug("rank {} cannot tell an acceptor: {}", session.rank(), e.getMessage());
      }
    }
  }

  /** Those of the other ranks, from this one on: when all lose the store, not all ask the first. */
  private static List<byte[]> acceptorsAfter(Session session) {
    List<byte[]> above = new ArrayList<>();
    List<byte[]> below = new ArrayList<>();
    for (Map.Entry<Integer, byte[]> acceptor : session.acceptors().entrySet()) {
      if (acceptor.getKey() != session.rank()) {
        (acceptor.getKey() > session.rank() ? above : below).add(acceptor.getValue());
      }
    }
    above.addAll(below);
    return above;
  }
}
