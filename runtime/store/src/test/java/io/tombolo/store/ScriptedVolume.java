// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.JobToken;
import io.tombolo.store.memory.MemoryFileName;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.RequestCodec;
import io.tombolo.store.wire.VolumeGreeting;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.Welcome;
import io.tombolo.store.wire.WireBounds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A volume that says what a test does, and its one client, which shares no memory with it.
 *
 * @param link the volume's end
 * @param client the other
 */
record ScriptedVolume(Link link, TensorStore client) implements AutoCloseable {
  private static final Duration LONG = Duration.ofSeconds(60);

  static ScriptedVolume connected() throws IOException {
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort)) {
      InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
      CompletableFuture<TensorStore> connecting =
          beside(() -> TensorStore.connect(address, token, new StoreOptions(LONG, false)));
      Link link = Link.accepted(listener.accept(), LONG);
      VolumeGreeting.asVolume(link, token);
      link.send(new Welcome("elsewhere", new MemoryFileName(1, 0, 0, 0)).frame());
      return new ScriptedVolume(link, ended(connecting));
    }
  }

  /** What the client asks next. */
  VolumeRequest asked() throws IOException {
    return RequestCodec.decode(link.receiveFrame(WireBounds.REQUEST_BYTES));
  }

  @Override
  public void close() {
    client.close();
    link.close();
  }

  /** A call of the client's. */
  static <T> CompletableFuture<T> beside(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call);
  }

  /** What comes of it. */
  static <T> T ended(CompletableFuture<T> call) {
    try {
      return call.orTimeout(60, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
