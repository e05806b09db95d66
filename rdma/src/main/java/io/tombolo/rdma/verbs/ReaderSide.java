// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.OneSidedReads;

/** A {@link ReaderEnd}, and the device on which what it reads to is registered. */
record ReaderSide(OneSided device, ReaderEnd end) implements OneSidedReads.Reader {
  @Override
  public byte[] card() {
    return end.card();
  }

  @Override
  public void connect(byte[] holdersCard) {
    end.connect(holdersCard);
  }

  @Override
  public OneSidedReads.Landing landing(MemoryBlock block) {
    return new Target(end, device.target(block));
  }

  @Override
  public boolean isBroken() {
    return end.isBroken();
  }

  @Override
  public void abort() {
    end.abort();
  }

  @Override
  public void close() {
    end.close();
  }

  private record Target(ReaderEnd end, ReadTarget target) implements OneSidedReads.Landing {
    @Override
    public void read(String what, byte[] key, long offset, long sizeBytes, Deadline until) {
      end.read(RemoteMemory.decode(what, key), offset, target, 0, sizeBytes, until);
    }

    @Override
    public void close() {
      target.close();
    }
  }
}
