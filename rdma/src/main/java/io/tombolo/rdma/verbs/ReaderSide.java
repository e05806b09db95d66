// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.OneSidedReads;

/** A {@link ReaderEnd} and where all that it reads comes to. */
record ReaderSide(ReaderEnd end, ReadTarget landing) implements OneSidedReads.Reader {
  static ReaderSide open(OneSided device, String holder, MemoryBlock landing) {
    try (CloseStack stack = new CloseStack()) {
      ReadTarget target = stack.opened(device.target(landing));
      ReaderSide made = new ReaderSide(stack.opened(device.readerEnd(holder)), target);
      stack.keep();
      return made;
    }
  }

  @Override
  public byte[] card() {
    return end.card();
  }

  @Override
  public void connect(byte[] holdersCard) {
    end.connect(holdersCard);
  }

  @Override
  public void read(String what, byte[] key, long offset, long sizeBytes, Deadline until) {
    end.read(RemoteMemory.decode(what, key), offset, landing, 0, sizeBytes, until);
  }

  @Override
  public boolean isBroken() {
    return end.isBroken();
  }

  @Override
  public void abort() {
    end.abort();
  }

  /** The end first: until it is closed, the NIC may write to the landing. */
  @Override
  public void close() {
    end.close();
    landing.close();
  }
}
