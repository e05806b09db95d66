// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import io.tombolo.base.LocalMemory;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Memory of a simulated message. */
final class WorldMemory implements LocalMemory {
  private final byte[] bytes;

  WorldMemory(int size) {
    bytes = new byte[size];
  }

  WorldMemory fill(long seed) {
    new SplittableRandom(seed).nextBytes(bytes);
    return this;
  }

  byte[] read(long offset, int size) {
    return Arrays.copyOfRange(bytes, (int) offset, (int) offset + size);
  }

  void write(long offset, byte[] what) {
    System.arraycopy(what, 0, bytes, (int) offset, what.length);
  }

  /** Whether it holds what {@link #fill} puts there. */
  boolean holds(long seed) {
    return Arrays.equals(bytes, new WorldMemory(bytes.length).fill(seed).bytes);
  }

  @Override
  public long sizeBytes() {
    return bytes.length;
  }

  @Override
  public long copyOut(long offset, long hostAddress, long sizeBytes) {
    throw new UnsupportedOperationException("simulated rails read it themselves");
  }

  @Override
  public long copyIn(long offset, long hostAddress, long sizeBytes) {
    throw new UnsupportedOperationException("simulated rails write it themselves");
  }

  @Override
  public boolean isDone(long ticket) {
    return true;
  }
}
