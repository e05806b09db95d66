// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.HostId;
import io.tombolo.base.JobToken;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.MemoryFile;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.wire.Welcome;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds tensors for clients that know the token. Clients of this host and user move bytes in its
 * memory themselves; others may {@linkplain VolumeOptions#withReads read} there past this process,
 * where both have a device for that, and what they put it reads from theirs. All else goes over the
 * connection.
 *
 * <p>One thread listens, and each client has one. Memory, clients and what a client may borrow are
 * bounded. Nothing is ever written to disk.
 */
public final class Volume implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Volume.class);
  private static final Duration CLOSE = Duration.ofSeconds(30);

  /** Out of descriptors, one looks again so often. */
  private static final long PAUSE_MS = 100;

  private final ServerSocketChannel listener;
  private final InetSocketAddress address;
  private final MemoryFile memory;
  private final Exposures exposures;
  private final Catalog catalog;
  private final Holdings holdings;
  private final Guests guests;
  private final Thread thread;
  private int notTaken;

  private Volume(ServerSocketChannel listener, JobToken token, VolumeOptions options)
      throws IOException {
    this.listener = listener;
    this.address = (InetSocketAddress) listener.getLocalAddress();
    long fences = Math.addExact(options.memoryBytes(), Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    this.memory = MemoryFile.create(Math.addExact(fences, Fences.SIZE_BYTES));
    memory.memory().preferHugePages();
    this.exposures = new Exposures(options.reads(), memory.memory());
    this.catalog = new Catalog(options.memoryBytes(), options.keptVersions(), exposures::withdraw);
    this.holdings = new Holdings(catalog, new Fences(memory.memory(), fences));
    this.guests =
        new Guests(
            catalog,
            holdings,
            exposures,
            memory,
            new Welcome(HostId.local(), memory.name()),
            token,
            options.patience());
    boolean unused = OpenFiles.ranOut(new IOException("this class is loaded while it can be"));
    this.thread = new Thread(this::listen, "tombolo-volume");
    thread.setDaemon(true);
  }

  /**
   * A volume for clients that prove {@code token}.
   *
   * @param address where to listen; port 0 takes any free port
   * @throws UnavailableException if the address cannot be listened on, for example a port in use
   * @throws io.tombolo.base.errors.ResourceException if this process may not have so much memory
   */
  public static Volume serve(InetSocketAddress address, JobToken token, VolumeOptions options) {
    try {
      ServerSocketChannel listener = ServerSocketChannel.open();
      try {
        Volume volume = new Volume(listener.bind(address), token, options);
        volume.thread.start();
        return volume;
      } catch (IOException | RuntimeException e) {
        listener.close();
        throw e;
      }
    } catch (IOException e) {
      if (OpenFiles.ranOut(e)) {
        throw OpenFiles.noneLeft("cannot listen at " + address, e);
      }
      throw new UnavailableException(
          "cannot listen at %s:%s: %s; choose another port, or 0 for any free one"
              .formatted(address.getHostString(), address.getPort(), e.getMessage()),
          e);
    }
  }

  /** Where clients reach it. */
  public InetSocketAddress address() {
    return address;
  }

  /**
   * Lets this process show what it has of a state dict: readers fetch it straight from here, as
   * they do what the other holders have.
   */
  public Holding hold(String stateDict, HolderRank rank) {
    if (stateDict.isEmpty()) {
      throw new UsageException("a state dict needs a name");
    }
    return new Holding(catalog, holdings, memory, stateDict, rank);
  }

  /**
   * Ends all connections. Clients that have the memory mapped keep it until they close; nobody
   * reads {@linkplain Holding#register registered} tensors any more. Harmless the second time.
   */
  @Override
  public void close() {
    try {
      listener.close();
      thread.join(CLOSE.toMillis());
    } catch (IOException e) {
      LOG.warn("the volume cannot close its port: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boolean dismissed = guests.dismissAll(CLOSE);
    boolean withdrawn = exposures.end();
    if (dismissed && withdrawn) {
      memory.close();
    } else {
      holdings.withdrawRegistered();
      LOG.warn(
          "the volume's memory stays: {}",
          dismissed ? "its RDMA device keeps it" : "a client's request does not end");
    }
  }

  private void listen() {
    while (listener.isOpen()) {
      try {
        SocketChannel caller = listener.accept();
        guests.receive(caller);
      } catch (ClosedChannelException e) {
        LOG.debug("the volume at {} is closed", address);
        return;
      } catch (IOException e) {
        onNoCaller(e);
      }
    }
  }

  /** Those who wait get in when somebody has gone. */
  private void onNoCaller(IOException cause) {
    notTaken++;
    if (Integer.bitCount(notTaken) == 1) { // it fails until somebody goes: that must not fill logs
      LOG.warn(
          "the volume at {} could not take a client, for the {}. time so far: {}",
          address,
          notTaken,
          OpenFiles.ranOut(cause) ? OpenFiles.help() : cause.toString());
    }
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
