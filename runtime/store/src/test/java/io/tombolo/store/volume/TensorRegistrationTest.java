// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.store.RawClient;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.StridedPart;
import io.tombolo.store.value.StridedTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.Test;

/** A program that takes its memory back while bytes of it are on their way. */
public class TensorRegistrationTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /** More than sockets hold, so that some of it has not been read yet. */
  private static final int SIZE_BYTES = 64 << 20;

  private static final long BEFORE = 0x0101_0101_0101_0101L;

  @Test(timeOut = 120_000)
  public void shouldSendZerosForWhatIsTakenBackOnItsWay() throws IOException {
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (NativeMemory memory = NativeMemory.allocate(SIZE_BYTES);
        NativeMemory came = NativeMemory.allocate(SIZE_BYTES);
        Volume volume = Volume.serve(anyPort, token, new VolumeOptions(64, 1, LONG));
        RawClient client = new RawClient(volume.address(), token)) {
      assertEquals(client.memoryBytes(), 64 + 4096);
      NativeMemory.fill(memory.address(), (byte) 1, SIZE_BYTES);
      Holding holding = volume.hold("policy", new HolderRank("run 1", 1, 0));
      TensorSpec spec = TensorSpec.of(DataType.U8, SIZE_BYTES);
      StridedTensor tensor = new StridedTensor(spec, memory, 0, ImmutableList.of(1L));
      holding.register(1, Map.of("w", StridedPart.whole(tensor)));

      Reply.Held held = (Reply.Held) client.ask(new VolumeRequest.OpenHeld("policy", 1, 0));
      assertFalse(held.parts().get(0).offset().isPresent());
      Reply bytes = client.ask(new VolumeRequest.Read(held.lease(), 0, Box.whole(SIZE_BYTES)));
      assertEquals(((Reply.BytesFollow) bytes).sizeBytes(), SIZE_BYTES);

      holding.withdraw(); // which does not wait for a reader that takes nothing
      NativeMemory.fill(memory.address(), (byte) 2, SIZE_BYTES);

      client.link().receive(came.address(), SIZE_BYTES, new Checksum());
      LongBuffer words = came.view(0, SIZE_BYTES).asLongBuffer();
      int good = 0;
      while (good < words.capacity() && words.get(good) == BEFORE) {
        good++;
      }
      assertTrue(good < words.capacity(), "all of it was sent before");
      int sent = good;
      while (sent < words.capacity() && words.get(sent) == 0) {
        sent++;
      }
      assertEquals(sent, words.capacity(), "the first word that is neither; " + good + " are good");
      Reply confirmed = client.ask(new VolumeRequest.Confirm(held.lease()));
      assertTrue(
          ((Reply.Refused) confirmed).error() instanceof AbortedException, confirmed.toString());
    }
  }
}
