// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.VendorException;
import java.util.Arrays;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A device that does not copy what one channel sends or receives, or does not say whether it has:
 * that is the channel's error alone.
 */
public final class FailingCopyTest {
  private static final int SIZE = 50_000;

  private enum Moment {
    /** The call that is to begin the copy fails. */
    AT_ONCE,
    /** The question whether it is done does. */
    LATER
  }

  @DataProvider
  public Object[][] kinds() {
    Object[][] kinds =
        Kind.rows(ImmutableList.of(Kind.TCP, Kind.UDP, Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD));
    return Arrays.stream(kinds)
        .flatMap(row -> Arrays.stream(Moment.values()).map(moment -> new Object[] {row[0], moment}))
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldFailTheReceiverThatItIsForAndNoOther(Kind kind, Moment moment) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, new Refusing(moment), 0, SIZE));
      assertTrue(out.send(1, source, 0, SIZE));
      shouldFail(in, pair);
    }
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldFailTheSenderThatItIsForAndNoOther(Kind kind, Moment moment) {
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      Channel out = connect(pair.low, pair.high);
      Channel in = accept(pair.high, pair.low);
      assertTrue(in.receive(1, target, 0, SIZE));
      assertTrue(out.send(1, new Refusing(moment), 0, SIZE));
      shouldFail(out, pair);
    }
  }

  private static Channel connect(Fabric low, Fabric high) {
    return low.connect(1, high.address(), 100, Deadline.after(FabricPair.BUDGET));
  }

  private static Channel accept(Fabric high, Fabric low) {
    return high.connect(0, low.address(), 100, Deadline.after(FabricPair.BUDGET));
  }

  private static void shouldFail(Channel failing, FabricPair pair) {
    Log log = new Log();
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(2);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      assertTrue(pair.fromHigh.receive(1, target, 0, SIZE));
      assertTrue(pair.fromLow.send(1, source, 0, SIZE));
      pair.until(
          () -> {
            pair.fromLow.poll(log);
            pair.fromHigh.poll(log);
            return log.received.size() + log.sent.size() == 2;
          });
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
    }
    VendorException error =
        expectThrows(VendorException.class, () -> pair.until(() -> failing.poll(log) < 0));
    assertTrue(error.getMessage().contains("no copy"), error.getMessage());
  }

  /** Copies nothing. */
  private record Refusing(Moment moment) implements LocalMemory {
    @Override
    public long sizeBytes() {
      return SIZE;
    }

    @Override
    public long copyOut(long offset, long hostAddress, long sizeBytes) {
      return copy();
    }

    @Override
    public long copyIn(long offset, long hostAddress, long sizeBytes) {
      return copy();
    }

    private long copy() {
      if (moment == Moment.AT_ONCE) {
        throw new VendorException("no copy", 1);
      }
      return 1;
    }

    @Override
    public boolean isDone(long ticket) {
      throw new VendorException("no copy", 1);
    }
  }
}
