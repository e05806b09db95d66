// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.ThreadRanks.LONG;
import static io.tombolo.runtime.ThreadRanks.onAll;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.store.CallbackStore;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Shelf;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.work.Work;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A rank that sees its peer's channels close before it hears why. The store is slow with the news
 * for rank 0, as any store may be.
 */
public class LossInquiryTest {
  private final AtomicBoolean isSlow = new AtomicBoolean();
  private final AtomicBoolean isSilent = new AtomicBoolean();
  private List<Communicator> joined;

  /** What a rank does that its peer does not. */
  private enum Call {
    ALL_REDUCE {
      @Override
      Work make(Communicator rank, DeviceBuffer buffer, Stream stream) {
        return rank.allReduce(buffer, Reduction.sum(), stream);
      }
    },
    RECEIVE {
      @Override
      Work make(Communicator rank, DeviceBuffer buffer, Stream stream) {
        return rank.receive(buffer, 1, stream);
      }
    };

    abstract Work make(Communicator rank, DeviceBuffer buffer, Stream stream);
  }

  /** Keeps the news of failures back while it is slow, and every answer while it is silent. */
  private final class SlowShelf extends Shelf {
    SlowShelf(MemoryStore values) {
      super(values);
    }

    @Override
    public Optional<byte[]> get(String key) {
      if (key.contains("job/news/")) {
        holdWhile(isSlow);
      }
      holdWhile(isSilent);
      return super.get(key);
    }

    @Override
    public byte[] compareSet(String key, byte[] expected, byte[] desired) {
      holdWhile(isSilent);
      return super.compareSet(key, expected, desired);
    }

    private void holdWhile(AtomicBoolean condition) {
      while (condition.get()) {
        LockSupport.parkNanos(100_000);
      }
    }
  }

  @BeforeMethod
  public void join() {
    MemoryStore values = new MemoryStore();
    joined =
        onAll(
            List.of(
                rank(0, new CallbackStore(new SlowShelf(values))),
                rank(1, new CallbackStore(new Shelf(values)))),
            CommunicatorBuilder::join);
  }

  private static CommunicatorBuilder rank(int rank, Store store) {
    return Communicator.builder()
        .environment(Map.of())
        .rank(rank, 2, rank)
        .localSize(2)
        .vendor("host")
        .setting("device", "0")
        .timeout(LONG)
        .store(store);
  }

  @AfterMethod(alwaysRun = true)
  public void leave() {
    isSlow.set(false);
    isSilent.set(false);
    ThreadRanks.closeAll(joined);
  }

  @DataProvider
  private static Object[][] calls() {
    return new Object[][] {{Call.ALL_REDUCE}, {Call.RECEIVE}};
  }

  @Test(dataProvider = "calls", timeOut = 120_000)
  public void shouldFailBecauseOfWhatEndedTheJob(Call call) {
    assertAborted(call, joined);
  }

  @Test(timeOut = 120_000)
  public void shouldFailBecauseOfWhatEndedTheGroup() {
    assertAborted(Call.ALL_REDUCE, ThreadRanks.split(joined));
  }

  /** The loss is all that is known then. */
  @Test(timeOut = 120_000)
  public void shouldFailBecauseOfTheLossWhereTheStoreSaysNothing() {
    PeerFailedException e = failure(Call.ALL_REDUCE, joined, isSilent, PeerFailedException.class);
    assertTrue(e.getMessage().contains("rank 1"), e.getMessage());
  }

  private void assertAborted(Call call, List<Communicator> ranks) {
    AbortedException e = failure(call, ranks, isSlow, AbortedException.class);
    assertTrue(e.getMessage().contains("rank 1 aborted the communicator"), e.getMessage());
  }

  /**
   * How rank 0's call fails when rank 1 aborts and goes while rank 0's store has {@code trouble}.
   */
  private static <E extends Throwable> E failure(
      Call call, List<Communicator> ranks, AtomicBoolean trouble, Class<E> kind) {
    Communicator rank = ranks.get(0);
    try (Stream stream = rank.device().newStream();
        DeviceMemory memory = rank.device().allocate(16)) {
      Work work =
          call.make(
              rank, DeviceBuffer.foreign(rank.device(), memory.address(), 4, DataType.F32), stream);
      trouble.set(true);
      ranks.get(1).abort();
      ranks.get(1).close();
      return expectThrows(kind, () -> work.await(LONG));
    }
  }
}
