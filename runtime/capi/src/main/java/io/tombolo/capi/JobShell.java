// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.Intercommunicator;
import io.tombolo.runtime.Message;
import io.tombolo.runtime.work.Work;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code libtombolo.so} calls of connections between jobs: {@link Shell}'s counterpart, whose
 * communicators and places for works these use. Thread-safe as {@link Intercommunicator} is.
 */
final class JobShell {
  private static final Logger LOG = LoggerFactory.getLogger(JobShell.class);

  private final Shell shell;
  private final HandleTable<Connection> connections = new HandleTable<>("connection of two jobs");

  /** A connection, and the communicator that it was made from, whose device and streams it uses. */
  private record Connection(OpenCommunicator ours, Intercommunicator jobs) {}

  /** Made by C, for the process's {@code shell}. */
  JobShell(Shell shell) {
    this.shell = shell;
  }

  /** In {@code limitMs}; 0 for as long as the communicator's calls may take. */
  long accept(long communicator, String address, String token, long limitMs) {
    OpenCommunicator ours = shell.open(communicator);
    Communicator job = ours.communicator();
    return added(ours, job.accept(place(address), JobToken.parse(token), limit(job, limitMs)));
  }

  /** The other side of {@link #accept}. */
  long connect(long communicator, String address, String token, long limitMs) {
    OpenCommunicator ours = shell.open(communicator);
    Communicator job = ours.communicator();
    return added(ours, job.connect(place(address), JobToken.parse(token), limit(job, limitMs)));
  }

  private long added(OpenCommunicator ours, Intercommunicator jobs) {
    return connections.add(new Connection(ours, jobs));
  }

  private static InetSocketAddress place(String address) {
    return HostPort.parse(address);
  }

  private static Duration limit(Communicator communicator, long limitMs) {
    return limitMs == 0 ? communicator.timeout() : Duration.ofMillis(limitMs);
  }

  int remoteSize(long connection) {
    return connections.get(connection).jobs().remoteSize();
  }

  /** As {@link Shell#message}; {@code peer} is a rank of the other side. */
  int message(
      long connection,
      boolean sends,
      long buffer,
      long count,
      int type,
      int peer,
      int tag,
      int flags,
      long timeoutMs,
      long stream,
      int slot) {
    Connection open = connections.get(connection);
    OpenCommunicator ours = open.ours();
    Message message = ours.message(sends, buffer, count, Operators.type(type), peer).tagged(tag);
    Work work = ours.exchange(open.jobs(), message, flags, timeoutMs, stream);
    return shell.made(ours, work, flags, slot);
  }

  /** Throws the failure that ended it, if one did. */
  void failure(long connection) {
    connections
        .get(connection)
        .jobs()
        .failure()
        .ifPresent(
            failure -> {
              throw failure;
            });
  }

  void abort(long connection) {
    connections.get(connection).jobs().abort();
  }

  void close(long connection) {
    connections.get(connection);
    connections.remove(connection).ifPresent(open -> open.jobs().close());
  }

  /** At the end of the process: the other side is told, and nobody is waited for. */
  void closeAll() {
    for (long connection : connections.latestFirst()) {
      try {
        abort(connection);
      } catch (UsageException e) {
        LOG.debug("the job was left before, and has ended its connection {}", connection, e);
      }
      close(connection);
    }
  }
}
