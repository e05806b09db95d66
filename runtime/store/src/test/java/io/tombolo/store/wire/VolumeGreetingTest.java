// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import org.testng.annotations.Test;

public class VolumeGreetingTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /** As clients of Tombolo did that could not be told where registered tensors are. */
  private static final byte OLDER = 5;

  @Test(timeOut = 120_000)
  public void shouldTurnAwayClientsOfOtherVersionsAsSuch() throws IOException {
    String older = refusal('T', 'M', 'B', 'V', OLDER);
    assertTrue(older.contains("version " + OLDER), older);
    String stranger = refusal('G', 'E', 'T', ' ', '/');
    assertTrue(stranger.contains("did not begin"), stranger);
  }

  /** What a volume says of who begins with these bytes. */
  private static String refusal(int... hello) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(hello.length);
    for (int each : hello) {
      bytes.put((byte) each);
    }
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort);
        Link client = Link.connect((InetSocketAddress) listener.getLocalAddress(), LONG);
        Link volume = Link.accepted(listener.accept(), LONG)) {
      client.send(bytes.flip());
      return expectThrows(
              CorruptException.class, () -> VolumeGreeting.asVolume(volume, JobToken.random()))
          .getMessage();
    }
  }
}
