// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The stores of the ids that this process has made. Thread-safe. */
final class IdHost {
  private final Map<String, TcpStoreServer> servers = new ConcurrentHashMap<>();

  /**
   * A new id, whose store listens at {@code host}, an address of this host.
   *
   * @param host empty: the loopback
   */
  JobId make(String host) {
    String name = host.isEmpty() ? InetAddress.getLoopbackAddress().getHostAddress() : host;
    JobToken token = JobToken.random();
    TcpStoreServer server = TcpStoreServer.start(new InetSocketAddress(address(name), 0), token);
    JobId id = new JobId(name, server.address().getPort(), token);
    servers.put(id.text(), server);
    return id;
  }

  private static InetAddress address(String name) {
    try {
      return InetAddress.getByName(name);
    } catch (UnknownHostException e) {
      throw new UsageException(
          "nobody knows the host '" + name + "'; give an address of this host", e);
    }
  }

  /** The store that this process hosts for {@code id}, which is the caller's to close now. */
  Optional<TcpStoreServer> take(JobId id) {
    return Optional.ofNullable(servers.remove(id.text()));
  }

  /** Ends those stores that no communicator has taken. */
  void close() {
    servers.values().forEach(TcpStoreServer::close);
    servers.clear();
  }
}
