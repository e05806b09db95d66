// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.LocalMemory;
import io.tombolo.base.errors.VendorException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A device that does not copy what has come for one channel: that is the channel's error alone. */
public final class FailingCopyTest {
  private static final int SIZE = 50_000;

  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(ImmutableList.of(Kind.TCP, Kind.UDP, Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD));
  }

  @Test(dataProvider = "kinds", timeOut = 120_000)
  public void shouldFailTheChannelThatItIsForAndNoOther(Kind kind) {
    Deadline deadline = Deadline.after(FabricPair.BUDGET);
    try (FabricPair pair = new FabricPair(kind, FabricPair.small());
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory target = new TestMemory(SIZE, 0, 0)) {
      Channel out = pair.low.connect(1, pair.high.address(), 100, deadline);
      Channel in = pair.high.connect(0, pair.low.address(), 100, deadline);
      Log log = new Log();
      assertTrue(in.receive(1, new Refusing(), 0, SIZE));
      assertTrue(pair.fromHigh.receive(1, target, 0, SIZE));
      assertTrue(out.send(1, source, 0, SIZE));
      assertTrue(pair.fromLow.send(1, source, 0, SIZE));
      pair.until(
          () -> {
            pair.fromLow.poll(log);
            pair.fromHigh.poll(log);
            return log.received.size() + log.sent.size() == 2;
          });
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
      VendorException error =
          expectThrows(
              VendorException.class,
              () ->
                  pair.until(
                      () -> {
                        in.poll(log);
                        return false;
                      }));
      assertTrue(error.getMessage().contains("no copy"), error.getMessage());
    }
  }

  /** Copies nothing. */
  private static final class Refusing implements LocalMemory {
    @Override
    public long sizeBytes() {
      return SIZE;
    }

    @Override
    public long copyOut(long offset, long hostAddress, long sizeBytes) {
      throw new VendorException("no copy", 1);
    }

    @Override
    public long copyIn(long offset, long hostAddress, long sizeBytes) {
      throw new VendorException("no copy", 1);
    }

    @Override
    public boolean isDone(long ticket) {
      return true;
    }
  }
}
