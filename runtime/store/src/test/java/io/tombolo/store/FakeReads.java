// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.PeerFailedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One-sided reads within this process: what a device does, and when. Whatever happens in the middle
 * of a read comes after its first half and before its second.
 */
final class FakeReads implements OneSidedReads {
  private record Shown(long address, long sizeBytes) {}

  private final Map<Integer, Shown> shown = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicInteger ways = new AtomicInteger();
  private final AtomicInteger ends = new AtomicInteger();
  private final AtomicInteger landings = new AtomicInteger();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger toBreak = new AtomicInteger();
  private final AtomicInteger toRefuse = new AtomicInteger();
  private final AtomicInteger toKeep = new AtomicInteger();
  private final AtomicInteger toKeepExposed = new AtomicInteger();
  private final AtomicInteger toKeepEnds = new AtomicInteger();
  private final AtomicInteger warnings = new AtomicInteger();
  private final CountDownLatch gaveUp = new CountDownLatch(1);
  private volatile Runnable middle = () -> {};
  private volatile Runnable beforeExposure = () -> {};
  private volatile Runnable beforeLanding = () -> {};
  private volatile Runnable beforeLettingGo = () -> {};
  private volatile long lastWaitNs;

  /** What happens in the middle of each read from now on. */
  void inTheMiddle(Runnable event) {
    middle = event;
  }

  /** What happens before a block is exposed, from now on; if it fails, that is not exposed. */
  void beforeExposure(Runnable event) {
    beforeExposure = event;
  }

  /** Likewise, before a block is one to read to. */
  void beforeLanding(Runnable event) {
    beforeLanding = event;
  }

  /** Likewise, before the device lets go of a block that was read to. */
  void beforeLettingGo(Runnable event) {
    beforeLettingGo = event;
  }

  /** How often somebody was about to warn that it goes without this device. */
  int warnings() {
    return warnings.get();
  }

  /** So many reads from now on break their way. */
  void breakNext(int count) {
    toBreak.set(count);
  }

  /** So many reads from now on are refused as those of what was withdrawn. */
  void refuseNext(int count) {
    toRefuse.set(count);
  }

  /** The device does not let go of so many blocks that are read to, until it is asked again. */
  void keepNext(int count) {
    toKeep.set(count);
  }

  /** Nor of so many that are exposed. */
  void keepExposedNext(int count) {
    toKeepExposed.set(count);
  }

  /** So many readers do not end, until they are asked again. */
  void keepEndsNext(int count) {
    toKeepEnds.set(count);
  }

  /** How long the last read that was asked for might take. */
  Duration lastWait() {
    return Duration.ofNanos(lastWaitNs);
  }

  /** Takes back all that is exposed. */
  void withdrawAll() {
    shown.clear();
  }

  /** Changes a byte of all that is exposed, so far from its beginning. */
  void spoil(long offset) {
    shown.values().forEach(block -> NativeMemory.fill(block.address() + offset, (byte) 0x5a, 1));
  }

  /** Ways that holders have made. */
  int ways() {
    return ways.get();
  }

  /** Reads that have succeeded. */
  int reads() {
    return reads.get();
  }

  /** Blocks that peers may read. */
  int exposed() {
    return shown.size();
  }

  /** Ends that are open, and blocks that are exposed or read to. */
  int living() {
    return ends.get() + exposed() + landings.get();
  }

  /** Waits until a reader is to give up. */
  void awaitAbort() {
    try {
      assertTrue(gaveUp.await(60, TimeUnit.SECONDS), "nobody gives up");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isNext(AtomicInteger count) {
    return count.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
  }

  @Override
  public Exposed expose(String what, MemoryBlock block) {
    beforeExposure.run();
    int number = numbers.incrementAndGet();
    long address = ((MemoryExport.Host) block.export()).address();
    shown.put(number, new Shown(address, block.sizeBytes()));
    return new Exposed() {
      @Override
      public byte[] key() {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
      }

      @Override
      public void close() {
        if (isNext(toKeepExposed)) {
          throw new FabricException("the device keeps what is exposed", 1);
        }
        shown.remove(number);
      }
    };
  }

  @Override
  public Holder holder() {
    ways.incrementAndGet();
    ends.incrementAndGet();
    return new Holder() {
      @Override
      public byte[] connect(byte[] readersCard) {
        return readersCard.clone();
      }

      @Override
      public void close() {
        ends.decrementAndGet();
      }
    };
  }

  @Override
  public Reader reader(String holder) {
    ends.incrementAndGet();
    return new FakeReader();
  }

  @Override
  public boolean isAskedFor() {
    warnings.incrementAndGet();
    return true;
  }

  @Override
  public void close() {}

  private final class FakeReader implements Reader {
    private final CountDownLatch aborted = new CountDownLatch(1);
    private boolean broken;
    private boolean closed;

    @Override
    public byte[] card() {
      return new byte[] {1};
    }

    @Override
    public void connect(byte[] holdersCard) {
      assertTrue(holdersCard.length == 1 && holdersCard[0] == 1, "a card of somebody else's");
    }

    @Override
    public Landing landing(MemoryBlock block) {
      beforeLanding.run();
      landings.incrementAndGet();
      return new FakeLanding(this, ((MemoryExport.Host) block.export()).address());
    }

    @Override
    public boolean isBroken() {
      return broken;
    }

    @Override
    public void abort() {
      aborted.countDown();
      gaveUp.countDown();
    }

    @Override
    public void close() {
      if (isNext(toKeepEnds)) {
        throw new FabricException("the device keeps an end", 1);
      }
      closed = true;
      ends.decrementAndGet();
    }
  }

  private final class FakeLanding implements Landing {
    private final FakeReader reader;
    private final long address;

    FakeLanding(FakeReader reader, long address) {
      this.reader = reader;
      this.address = address;
    }

    @Override
    public void read(String what, byte[] key, long offset, long sizeBytes, Deadline until) {
      lastWaitNs = until.budgetNs();
      int number = ByteBuffer.wrap(key).getInt();
      Shown from = shown.get(number);
      if (isNext(toBreak)) {
        reader.broken = true;
        throw new PeerFailedException(what + ": the way broke");
      }
      if (from == null || isNext(toRefuse)) {
        reader.broken = true;
        throw new AbortedException(what + ": no such key");
      }
      assertTrue(offset >= 0 && offset + sizeBytes <= from.sizeBytes(), "outside " + what);
      long half = sizeBytes / 2;
      NativeMemory.copy(address, from.address() + offset, half);
      middle.run();
      if (reader.aborted.getCount() == 0 || !shown.containsKey(number)) {
        throw new AbortedException(what + ": it came too late"); // and may be freed by now
      }
      NativeMemory.copy(address + half, from.address() + offset + half, sizeBytes - half);
      reads.incrementAndGet();
    }

    @Override
    public void close() {
      assertTrue(!reader.broken || reader.closed, "what a broken reader may still write to");
      beforeLettingGo.run();
      if (isNext(toKeep)) {
        throw new FabricException("the device keeps a block", 1);
      }
      landings.decrementAndGet();
    }
  }
}
