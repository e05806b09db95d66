// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hosts a store for {@link TcpStore} clients, on one thread of its own.
 *
 * <p>Memory, connections and waits are bounded; a client that exceeds a bound or sends what is no
 * request loses its connection, and the log says why in one line; of too little memory a client
 * that has proved the token {@linkplain LastWords hears}, too. {@link Connections} says who may
 * stay. Nothing is ever written to disk.
 */
public final class TcpStoreServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpStoreServer.class);

  /** A rank has two connections; a job of ten thousand fits. */
  private static final Connections.Limits LIMITS = new Connections.Limits(32_768, 1024);

  private static final long JOIN_MS = 5_000;
  private static final long PARTING_LOOK_MS = 5;

  /** All ranks of a large job may come at once. */
  private static final int BACKLOG = 4096;

  /** Out of descriptors, one looks again so often. */
  private static final long PAUSE_MS = 100;

  private final Selector selector;
  private final ServerSocketChannel listener;
  private final InetSocketAddress address;
  private final Optional<JobToken> token;
  private final MemoryBudget budget;
  private final StoreEngine engine;
  private final Connections connections;
  private final SelectionKey listening;
  private final Thread thread;
  private int notTaken;
  private volatile int connected;
  private volatile boolean closed;

  private TcpStoreServer(
      InetSocketAddress wanted,
      Optional<JobToken> token,
      Connections.Limits limits,
      MemoryBudget budget)
      throws IOException {
    openWhatTheJdkKeepsOpen(token);
    this.token = token;
    this.budget = budget;
    this.engine = new StoreEngine(budget);
    this.connections = new Connections(limits);
    this.selector = Selector.open();
    this.listener = ServerSocketChannel.open();
    try {
      listener.bind(wanted, BACKLOG);
      listener.configureBlocking(false);
      this.listening = listener.register(selector, SelectionKey.OP_ACCEPT);
      this.address = (InetSocketAddress) listener.getLocalAddress();
    } catch (IOException e) {
      closeQuietly(listener);
      closeQuietly(selector);
      throw e;
    }
    this.thread = new Thread(this::serve, "tombolo-store");
    thread.setDaemon(true);
  }

  /**
   * For its first closing of a channel, and its first proof, the JDK opens files, as we do to know
   * the limit. If there are none left to be opened then, it never tries again.
   */
  private static void openWhatTheJdkKeepsOpen(Optional<JobToken> token) throws IOException {
    OptionalLong unused = OpenFiles.limit();
    Selector.open().close();
    token.ifPresent(known -> known.seal("", new byte[0]));
  }

  /**
   * A store for clients that prove {@code token}.
   *
   * @param address where to listen; port 0 takes any free port
   * @throws UnavailableException if the address cannot be listened on, for example a port in use
   * @throws io.tombolo.base.errors.ResourceException if this process may open no more files
   */
  public static TcpStoreServer start(InetSocketAddress address, JobToken token) {
    return start(address, token, LIMITS);
  }

  /** As the other, for fewer clients. */
  static TcpStoreServer start(
      InetSocketAddress address, JobToken token, Connections.Limits limits) {
    return start(address, Optional.of(token), limits, new MemoryBudget(Limits.SERVER_BYTES));
  }

  /** As the first, with less memory. */
  static TcpStoreServer start(InetSocketAddress address, JobToken token, MemoryBudget budget) {
    return start(address, Optional.of(token), LIMITS, budget);
  }

  /**
   * A store that torch's own clients can use: whoever reaches the port can read and write
   * everything. Use {@link SealedStore} for what must not be tampered with.
   *
   * @param interfaceName the one network interface to listen on, for example {@code lo} or {@code
   *     eth1}
   * @param port the port; 0 takes any free one
   * @throws UnavailableException as for {@link #start}
   */
  public static TcpStoreServer startUnprotected(String interfaceName, int port) {
    TcpStoreServer server =
        start(
            new InetSocketAddress(addressOf(interfaceName), port),
            Optional.empty(),
            LIMITS,
            new MemoryBudget(Limits.SERVER_BYTES));
    LOG.warn(
        "the store at {} asks for no token: everyone who reaches {} can read and change it",
        server.address,
        interfaceName);
    return server;
  }

  /** Where clients reach this store. */
  public InetSocketAddress address() {
    return address;
  }

  /** Waits until nobody is connected any more; {@code limit} at most. */
  public void awaitParting(Duration limit) {
    Deadline deadline = Deadline.after(limit);
    try {
      while (connected > 0 && !deadline.isExpired()) {
        Thread.sleep(PARTING_LOOK_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends all connections and the thread. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
    try {
      thread.join(JOIN_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static TcpStoreServer start(
      InetSocketAddress address,
      Optional<JobToken> token,
      Connections.Limits limits,
      MemoryBudget budget) {
    try {
      TcpStoreServer server = new TcpStoreServer(address, token, limits, budget);
      server.thread.start();
      return server;
    } catch (IOException e) {
      if (OpenFiles.ranOut(e)) {
        throw OpenFiles.noneLeft(
            "cannot host the store at " + address.getHostString() + ":" + address.getPort(), e);
      }
      throw new UnavailableException(
          "cannot host the store at %s:%s: %s; choose another port, or 0 for any free one"
              .formatted(address.getHostString(), address.getPort(), e.getMessage()),
          e);
    }
  }

  private static InetAddress addressOf(String interfaceName) {
    try {
      NetworkInterface nic = NetworkInterface.getByName(interfaceName);
      // IPv4 first, because most MASTER_ADDRs are.
      return nic.inetAddresses()
          .min(Comparator.comparing(address -> !(address instanceof Inet4Address)))
          .orElseThrow();
    } catch (IOException | RuntimeException e) {
      throw new UsageException(
          "this host has no network interface '" + interfaceName + "' with an address", e);
    }
  }

  private void serve() {
    try {
      while (!closed) {
        boolean pausing = listening.interestOps() == 0;
        selector.select(this::onReady, pausing ? PAUSE_MS : 0);
        if (pausing) {
          listening.interestOps(SelectionKey.OP_ACCEPT);
        }
        connected = connections.count();
      }
    } catch (IOException | RuntimeException e) {
      LOG.error("the store at {} ends", address, e);
    } finally {
      connections.closeAll();
      closeQuietly(listener);
      closeQuietly(selector);
    }
  }

  private void onReady(SelectionKey key) {
    if (key.attachment() instanceof Connection connection) {
      connection.onReady();
    } else {
      accept();
    }
  }

  private void accept() {
    try {
      SocketChannel channel = listener.accept();
      if (channel != null) {
        admit(channel);
      }
    } catch (IOException e) {
      onNoConnection(e);
    }
  }

  /** Those who wait get in when somebody has gone, of whom a stranger may be the first. */
  private void onNoConnection(IOException cause) {
    notTaken++;
    if (Integer.bitCount(notTaken)
        == 1) { // it fails until somebody goes: that is not to fill the log
      LOG.warn(
          "the store at {} could not take a connection, for the {}. time so far: {}",
          address,
          notTaken,
          OpenFiles.ranOut(cause) ? OpenFiles.help() : cause.toString());
    }
    boolean unused = connections.evictOne();
    listening.interestOps(0);
  }

  private void admit(SocketChannel channel) throws IOException {
    String peer = String.valueOf(channel.getRemoteAddress());
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
      Connection connection = new Connection(key, engine, budget, token, connections, peer);
      key.attach(connection);
      connections.greet(connection);
    } catch (TomboloException e) {
      LOG.warn("the store refuses {}: {}", peer, e.getMessage());
      channel.close();
    }
  }

  private static void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      LOG.debug("closing {}", resource, e);
    }
  }
}
