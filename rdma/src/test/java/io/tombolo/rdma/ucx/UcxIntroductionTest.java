// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.SplittableRandom;
import org.testng.annotations.Test;

/** How two ends tell each other where their UCX is. */
public final class UcxIntroductionTest {
  private static final byte[] OURS = {1, 2, 3};
  private static final byte[] THEIRS = {4, 5, 6, 7, 8};

  private final JobToken token = JobToken.random();

  @Test
  public void shouldSayBothAddressesAndKeysWhenBytesTrickle() throws IOException {
    Trickle left = new Trickle();
    Trickle right = new Trickle();
    left.peer = right;
    right.peer = left;
    UcxIntroduction ours = new UcxIntroduction(token, OURS, 42);
    UcxIntroduction theirs = new UcxIntroduction(token, THEIRS, -7);
    boolean done = false;
    for (int i = 0; i < 1000 && !done; i++) {
      boolean isDone = ours.progress(left);
      done = theirs.progress(right) && isDone;
    }
    assertTrue(done);
    assertEquals(ours.address(), THEIRS);
    assertEquals(ours.key(), -7);
    assertEquals(theirs.address(), OURS);
    assertEquals(theirs.key(), 42);
  }

  @Test
  public void shouldTakeNoAddressWhenAnyByteIsChanged() throws IOException {
    byte[] good = UcxIntroduction.encode(token, THEIRS, -7);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 1;
      assertFalse(isTaken(bad), "byte " + at);
    }
    assertTrue(isTaken(good));
  }

  @Test
  public void shouldTakeNoAddressWhenTheTokenIsAnother() {
    byte[] strange = UcxIntroduction.encode(JobToken.random(), THEIRS, -7);
    CorruptException error = expectThrows(CorruptException.class, () -> isTakenOrThrow(strange));
    assertTrue(error.getMessage().contains("changed on its way"), error.getMessage());
  }

  @Test
  public void shouldTakeNoAddressWhenBytesAreRandom() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1000; i++) {
      byte[] noise = new byte[random.nextInt(200)];
      random.nextBytes(noise);
      assertFalse(isTaken(noise), "seed 1, round " + i);
    }
  }

  private boolean isTaken(byte[] said) throws IOException {
    try {
      return isTakenOrThrow(said);
    } catch (CorruptException e) {
      return false;
    }
  }

  private boolean isTakenOrThrow(byte[] said) throws IOException {
    Trickle socket = new Trickle();
    socket.peer = new Trickle();
    socket.arrive(said);
    UcxIntroduction ours = new UcxIntroduction(token, OURS, 42);
    for (int i = 0; i < 1000; i++) {
      if (ours.progress(socket)) {
        return true;
      }
    }
    return false;
  }

  /** A socket that moves three bytes a call, and often none. */
  private static final class Trickle implements ByteChannel {
    private final ByteBuffer arrived = ByteBuffer.allocate(1 << 14);
    private Trickle peer;
    private int read;
    private int calls;

    void arrive(byte[] bytes) {
      arrived.put(bytes);
    }

    @Override
    public int read(ByteBuffer target) {
      int count = Math.min(Math.min(count(), target.remaining()), arrived.position() - read);
      target.put(arrived.array(), read, count);
      read += count;
      return count;
    }

    @Override
    public int write(ByteBuffer source) {
      int count = Math.min(count(), source.remaining());
      byte[] bytes = new byte[count];
      source.get(bytes);
      peer.arrive(bytes);
      return count;
    }

    private int count() {
      return calls++ % 3 == 0 ? 3 : 0;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
