// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Store;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class CommonMemoryTest {
  private static final int BYTES = 512;

  @Test
  public void shouldShowEachRankWhatTheOtherWrites() {
    Store store = new MemoryStore();
    CompletableFuture<Optional<ByteBuffer>> zero =
        CompletableFuture.supplyAsync(() -> CommonMemory.share(store, 0, 2, BYTES, soon()));
    ByteBuffer one = CommonMemory.share(store, 1, 2, BYTES, soon()).orElseThrow();
    one.putLong(8, 42);
    assertEquals(zero.join().orElseThrow().getLong(8), 42);
  }

  @DataProvider
  public Object[][] names() {
    return new Object[][] {{"../shm/%s"}, {"/dev/shm/%s"}, {"%s"}};
  }

  /** A file of the right size, which is nobody's votes. */
  @Test(dataProvider = "names")
  public void shouldNotMapAnyOtherFileThatAPeerNames(String name) throws IOException {
    Path other = Files.createTempFile(Path.of("/dev/shm"), "somebody-s-", ".data");
    try {
      Files.write(other, new byte[BYTES]);
      Store store = new MemoryStore();
      Store desk = store.within("common-memory");
      desk.within("unique-id").set("name", name.formatted(other.getFileName()).getBytes(UTF_8));
      desk.set("0", new byte[] {1});
      assertFalse(CommonMemory.share(store, 1, 2, BYTES, soon()).isPresent());
    } finally {
      Files.delete(other);
    }
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(60));
  }
}
