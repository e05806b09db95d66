// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;

import io.tombolo.rdma.verbs.End.Done;
import java.util.Optional;
import java.util.Random;

/** Two ends on two devices, connected. */
final class TwoEnds implements AutoCloseable {
  private static final int MTU = 4096;

  final End left;
  final End right;

  TwoEnds(PairType type, boolean sharesReceives) {
    left = new End(0, type, sharesReceives);
    right = new End(1, type, sharesReceives);
    left.connect(right);
    right.connect(left);
  }

  int rightKey() {
    return right.region.remoteKey();
  }

  byte[] fill(int sizeBytes) {
    byte[] bytes = new byte[sizeBytes];
    new Random(sizeBytes).nextBytes(bytes);
    left.memory.put(0, bytes, 0, sizeBytes);
    return bytes;
  }

  int bind(MemoryWindow window) {
    return bind(window, 0, MTU);
  }

  /** Opens {@code window} on part of the right memory, or on nothing; its key. */
  int bind(MemoryWindow window, long offset, int sizeBytes) {
    long address = right.region.remoteAddress() + offset;
    int key = window.bind(right.pair, right.region, address, sizeBytes, 99);
    right.nextWell(99);
    return key;
  }

  /**
   * Writes to {@code offset} of the right memory under {@code key}; the status that the left gets.
   */
  int writeTo(long offset, int sizeBytes, int key) {
    right.receive(1, 0, 0);
    left.write(2, sizeBytes, right.region.remoteAddress() + offset, key, 0);
    int status = left.next().status();
    right.next();
    return status;
  }

  void expect(int count) {
    for (int i = 0; i < count; i++) {
      right.receive(0, 0, 0);
    }
  }

  void write(int from, int count) {
    for (int i = from; i < from + count; i++) {
      left.write(1, MTU, right.region.remoteAddress(), rightKey(), i);
    }
  }

  /** Half a queue of writes; counts which came, until nothing more comes; how many did. */
  int exchange(int from, int[] times) throws InterruptedException {
    int count = End.DEPTH / 2;
    write(from, count);
    for (int i = 0; i < count; i++) {
      left.nextWell(1);
    }
    int arrived = 0;
    for (Optional<Done> done = settled(); done.isPresent(); done = settled()) {
      assertEquals(done.get().status(), WorkCompletions.SUCCESS);
      times[done.get().immediate()]++;
      right.receive(0, 0, 0);
      arrived++;
    }
    return arrived;
  }

  /** The next arrival; none if none comes for a while. */
  private Optional<Done> settled() throws InterruptedException {
    Optional<Done> done = right.poll();
    for (int wait = 0; wait < 20 && done.isEmpty(); wait++) {
      Thread.sleep(5);
      done = right.poll();
    }
    return done;
  }

  @Override
  public void close() {
    left.close();
    right.close();
  }
}
