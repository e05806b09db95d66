// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.ReplyCodec;
import io.tombolo.store.wire.VolumeGreeting;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
import io.tombolo.tensors.layout.Box;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.FloatBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** A holder that has room for one version, and a reader that is in no hurry to take its bytes. */
public class SlowReaderTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ROWS = 4;
  private static final int COLUMNS = 2 << 20;
  private static final long SIZE_BYTES = (long) ROWS * COLUMNS * Float.BYTES;

  /** Far more than sockets hold, in a run of each row, and each run in several writes. */
  private static final Box WANTED = Box.whole(ROWS, COLUMNS).cut(1, 5, COLUMNS);

  /** What waits in the reader's socket is little, whatever the system's default. */
  private static final int SOCKET_BYTES = 64 << 10;

  private final JobToken token = JobToken.random();
  private Volume volume;
  private Holding holding;

  @AfterMethod(alwaysRun = true)
  public void stop() {
    volume.close();
  }

  @Test(timeOut = 120_000)
  public void shouldKeepWhatIsBeingSentButNotWhatHasLeft() throws IOException {
    serve(LONG);
    try (Link reader = reader();
        NativeMemory target = NativeMemory.allocate(WANTED.elements() * Float.BYTES)) {
      ask(reader);
      holding.withdraw();
      assertThrows(ResourceException.class, () -> show(2, Duration.ZERO));
      reader.receive(target.address(), target.sizeBytes(), new Checksum());
      FloatBuffer elements = target.view(0, (int) target.sizeBytes()).asFloatBuffer();
      for (int row = 0; row < ROWS; row++) {
        for (int column = 5; column < COLUMNS; column++) {
          assertEquals(elements.get(), (float) (1 + row * COLUMNS + column));
        }
      }
      show(2, LONG); // though the reader has said nothing more
    }
  }

  @Test(timeOut = 120_000)
  public void shouldGiveUpOnAReaderThatTakesNothing() throws IOException {
    serve(Duration.ofSeconds(5)); // for the greeting, too
    try (Link reader = reader()) {
      ask(reader);
      holding.withdraw();
      show(2, LONG);
    }
  }

  private void serve(Duration patience) {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    volume = Volume.serve(anyPort, token, new VolumeOptions(SIZE_BYTES, 1, patience));
    holding = volume.hold("policy", new HolderRank("run 1", 1, 0));
    show(1, LONG);
  }

  private void show(int version, Duration patience) {
    HostTensor tensor = Tensors.counting(version, ROWS, COLUMNS);
    try {
      holding.show(version, Map.of("w", TensorPart.whole(tensor)), patience);
    } finally {
      tensor.memory().close();
    }
  }

  private Link reader() throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    channel.connect(volume.address());
    Link link = Link.accepted(channel, LONG);
    VolumeGreeting.asClient(link, token);
    return link;
  }

  /** Its bytes are on their way when this returns. */
  private static void ask(Link reader) throws IOException {
    Reply.Held held =
        (Reply.Held) answer(reader, new VolumeRequest.OpenHeld("policy", 1, (int) LONG.toMillis()));
    Reply reply = answer(reader, new VolumeRequest.Read(held.lease(), 0, WANTED));
    assertTrue(reply instanceof Reply.BytesFollow, reply.toString());
  }

  private static Reply answer(Link link, VolumeRequest request) throws IOException {
    link.send(request.frame());
    return ReplyCodec.decode(link.receiveFrame(WireBounds.REPLY_BYTES));
  }
}
