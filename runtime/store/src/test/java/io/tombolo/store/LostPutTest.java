// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorMaker;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.testng.annotations.Test;

/** What a program hears of a put that it could not make, of a volume that has gone meanwhile. */
public class LostPutTest {
  private static final TensorSpec SPEC = TensorSpec.of(DataType.F32, 3);

  @Test(timeOut = 120_000)
  public void shouldSayWhatTheMakerSaidAlsoWhenTheVolumeIsLost() throws IOException {
    HostTensor first = Tensors.constant(1, 3);
    try (ScriptedVolume volume = ScriptedVolume.connected()) {
      IllegalStateException failure = new IllegalStateException("no memory left on the device");
      TensorMaker maker =
          (name, spec) -> {
            if (name.equals("first")) {
              return new TensorMaker.Made(first, OptionalInt.empty());
            }
            volume.link().close(); // which has not taken the first: a reset
            throw failure;
          };
      CompletableFuture<Long> putting =
          ScriptedVolume.beside(
              () ->
                  volume
                      .client()
                      .putMade("policy", ImmutableMap.of("first", SPEC, "second", SPEC), maker));
      VolumeRequest.Begin begin = (VolumeRequest.Begin) volume.asked();
      assertEquals(begin.stateDict(), "policy");
      volume.link().send(new Reply.Granted(5, ImmutableList.of(0L, 4096L)).frame());
      assertSame(
          expectThrows(IllegalStateException.class, () -> ScriptedVolume.ended(putting)), failure);
      assertTrue(failure.getSuppressed().length > 0, "it had to be told that it is lost");
      assertThrows(PeerFailedException.class, volume.client()::figures);
    }
    first.memory().close();
  }
}
