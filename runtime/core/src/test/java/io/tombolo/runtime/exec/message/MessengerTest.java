// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.message;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.run.LocalJob;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Messages between single ranks, all of them in one process. */
public class MessengerTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final int MANY_SEGMENTS = 20_000;

  @Test
  public void shouldNotWaitForEachOtherWhenBothReceiveFirst() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      List<Work> received = List.of(job.receive(0, 61, 1), job.receive(1, 61, 0));
      List<Work> sent = List.of(job.send(0, 61, 1), job.send(1, 61, 0));
      received.forEach(work -> work.await(LONG));
      sent.forEach(work -> work.await(LONG));
      job.checkOutput(0, 1, 61);
      job.checkOutput(1, 0, 61);
    }
  }

  @Test
  public void shouldKeepTheOrderBetweenTwoRanks() {
    try (LocalJob job = new LocalJob("aa", LONG)) {
      Work first = job.receive(1, MANY_SEGMENTS, 0);
      Work second = job.receive(1, 5, 0);
      job.send(0, MANY_SEGMENTS, 1);
      assertFalse(second.isDone());
      job.send(0, 5, 1).await(LONG); // a channel fails when messages meet in another order
      first.await(LONG);
      second.await(LONG);
      job.checkOutput(1, 0, MANY_SEGMENTS);
    }
  }

  @Test
  public void shouldOvertakeACollectiveThatWaits() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      Work waiting = job.submit(0, call);
      Work received = job.receive(1, 3, 0);
      job.send(0, 3, 1).await(LONG);
      received.await(LONG);
      job.checkOutput(1, 0, 3);
      assertFalse(waiting.isDone());
      job.submit(1, call).await(LONG);
      waiting.await(LONG);
      job.checkSums(8);
    }
  }

  @Test
  public void shouldSayWhatIsMissingWhenTheDeadlinePasses() {
    try (LocalJob job = new LocalJob("ab", SHORT)) {
      Work work = job.receive(0, 3, 1);
      DeadlineExceededException failure =
          expectThrows(DeadlineExceededException.class, () -> work.await(LONG));
      assertTrue(failure.getMessage().contains("rank 0: message (#1, 12 bytes, "), failure + "");
      assertTrue(
          failure.getMessage().contains("receive stage[0..3) from rank 1"), failure.getMessage());
    }
  }

  @Test
  public void shouldSayThatMessagesMayWaitForEachOtherWhereThereIsNoPlace() {
    CallOptions free = CallOptions.STANDARD.withoutStreamWait();
    try (LocalJob job = new LocalJob("ab", LONG)) {
      List<Work> received = new ArrayList<>();
      for (int i = 0; i < Messenger.PLACES; i++) {
        received.add(job.receive(0, 3, 1, free));
      }
      String refused =
          expectThrows(ResourceException.class, () -> job.receive(0, 3, 1, free.withTimeout(SHORT)))
              .getMessage();
      assertTrue(
          refused.startsWith(
              "rank 0: 512 operations are under way, and the oldest has not ended within 400 ms:"
                  + " rank 0: message (#1, "),
          refused);
      assertTrue(
          refused.contains(
              "ranks' messages may be waiting for each other, as no more than 512 can be under way"
                  + " at once: await some before you make more"),
          refused);
      for (int i = 0; i < Messenger.PLACES; i++) {
        job.send(1, 3, 0).await(LONG);
      }
      received.forEach(work -> work.await(LONG));
    }
  }

  @DataProvider
  public static Object[][] devices() {
    return new Object[][] {
      {"plenty", Messenger.PLACES}, {"hasScarceWords", 128}, {"isHostOrdered", 128}
    };
  }

  /** A message takes two words, or an event, and the runtime has only so many for all groups. */
  @Test(dataProvider = "devices")
  public void shouldHaveFewerUnderWayWhereEachTakesWhatTheRuntimeHasLittleOf(
      String habit, int count) {
    DeviceAdaptor device =
        StandIn.of(DeviceAdaptor.class, (method, arguments) -> method.getName().equals(habit));
    assertEquals(Messenger.places(device).count(), count);
    assertTrue(
        Messenger.places(device).advice().contains("no more than " + count + " can be under way"));
  }

  @Test
  public void shouldFailCollectivesToo() {
    try (LocalJob job = new LocalJob("ab", LONG)) {
      CollectiveCall call = CollectiveCall.allReduce(8, DataType.F32, ReduceOp.SUM, false);
      Work collective = job.submit(0, call);
      Work message = job.receive(0, 3, 1);
      job.breakLinks(0);
      String lost = expectThrows(PeerFailedException.class, () -> message.await(LONG)).getMessage();
      assertTrue(lost.startsWith("rank 0: message (#1, 12 bytes, "), lost);
      assertTrue(lost.endsWith("rank 1 is gone"), lost);
      lost = expectThrows(PeerFailedException.class, () -> collective.await(LONG)).getMessage();
      assertTrue(lost.startsWith("rank 0: all_reduce of 8 f32 by sum (#1, 32 bytes, "), lost);
      assertTrue(lost.endsWith("rank 1 is gone"), lost);
      assertThrows(AbortedException.class, () -> job.send(0, 3, 1));
    }
  }
}
