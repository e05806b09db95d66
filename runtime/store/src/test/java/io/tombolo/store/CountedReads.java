// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.OneSidedReads;
import java.util.concurrent.atomic.AtomicInteger;

/** One-sided reads of one side that are counted, and before each of which something may happen. */
final class CountedReads implements OneSidedReads {
  private final OneSidedReads device;
  private final AtomicInteger reads = new AtomicInteger();
  private volatile Runnable before = () -> {};

  /** Over {@code device}, which it takes. */
  CountedReads(OneSidedReads device) {
    this.device = device;
  }

  /** What happens before each read from now on. */
  void before(Runnable event) {
    before = event;
  }

  /** Reads that have succeeded. */
  int reads() {
    return reads.get();
  }

  @Override
  public Exposed expose(String what, MemoryBlock block) {
    return device.expose(what, block);
  }

  @Override
  public Holder holder() {
    return device.holder();
  }

  @Override
  public Reader reader(String holder) {
    return new CountedReader(device.reader(holder));
  }

  @Override
  public boolean isAskedFor() {
    return device.isAskedFor();
  }

  @Override
  public void close() {
    device.close();
  }

  private final class CountedReader implements Reader {
    private final Reader reader;

    CountedReader(Reader reader) {
      this.reader = reader;
    }

    @Override
    public byte[] card() {
      return reader.card();
    }

    @Override
    public void connect(byte[] holdersCard) {
      reader.connect(holdersCard);
    }

    @Override
    public Landing landing(MemoryBlock block) {
      return new CountedLanding(reader.landing(block));
    }

    @Override
    public boolean isBroken() {
      return reader.isBroken();
    }

    @Override
    public void abort() {
      reader.abort();
    }

    @Override
    public void close() {
      reader.close();
    }
  }

  private final class CountedLanding implements Landing {
    private final Landing landing;

    CountedLanding(Landing landing) {
      this.landing = landing;
    }

    @Override
    public void read(String what, byte[] key, long offset, long sizeBytes, Deadline until) {
      before.run();
      landing.read(what, key, offset, sizeBytes, until);
      reads.incrementAndGet();
    }

    @Override
    public void close() {
      landing.close();
    }
  }
}
