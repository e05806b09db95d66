// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.shm;

import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.staged.Joined;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Three messages through a ring of two slots of a shared segment: each arrives whole. */
@JCStressTest
@Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "all that was published could be read")
@Outcome(expect = Expect.FORBIDDEN, desc = "a slot was seen before it was written")
@State
public class ShmRingStress {
  private static final SlotGeometry GEOMETRY = new SlotGeometry(2, 64);
  private static final int MESSAGES = 3;
  private static final int AT = 64;
  private static final Ends ENDS = Ends.connect();

  /**
   * Both ends of one link, for all tests of a process; each end is used by one thread at a time.
   */
  private record Ends(ShmLink dialler, ShmLink listener, AtomicLong received) {
    static Ends connect() {
      ShmMedium medium = ShmMedium.open(HostPinner.none());
      try {
        UnixSocket dialled =
            (UnixSocket) medium.dial(medium.address(), Deadline.after(Duration.ofSeconds(5)));
        dialled.finishConnect();
        UnixSocket accepted = (UnixSocket) medium.accept().orElseThrow();
        ShmLink dialler = (ShmLink) medium.link(new Joined(0, 1, dialled, GEOMETRY, true));
        ShmLink listener = (ShmLink) medium.link(new Joined(0, 1, accepted, GEOMETRY, false));
        dialler.progress();
        listener.progress();
        return new Ends(dialler, listener, new AtomicLong());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Actor
  public void sender() {
    ShmLink link = ENDS.dialler();
    for (int i = 0; i < MESSAGES; i++) {
      long sequence = link.handedOver();
      while (link.claimable() <= sequence) {
        Thread.onSpinWait();
      }
      link.out().view(sequence).putLong(AT, sequence);
      link.publish(sequence, Long.BYTES);
    }
  }

  @Actor
  public void receiver(I_Result result) {
    ShmLink link = ENDS.listener();
    for (int i = 0; i < MESSAGES; i++) {
      long sequence = ENDS.received().getAndIncrement();
      while (link.arrived() <= sequence) {
        Thread.onSpinWait();
      }
      result.r1 += link.in().view(sequence).getLong(AT) == sequence ? 1 : 0;
      link.release(sequence);
    }
  }
}
