// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.agent.Agent;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.testng.annotations.Test;

public class ChannelOpeningTest {
  @Test(timeOut = 60_000)
  public void shouldNotWaitForEverForAnAgentThatIsStuck() {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch stuck = new CountDownLatch(1);
    try (Agent agent = new Agent(() -> false)) {
      Thread holder =
          new Thread(
              () ->
                  agent.run(
                      () -> {
                        entered.countDown();
                        Uninterruptibles.awaitUninterruptibly(stuck);
                      }));
      holder.setDaemon(true);
      holder.start();
      Uninterruptibles.awaitUninterruptibly(entered);
      Deadline soon = Deadline.after(Duration.ofMillis(50));
      String message =
          expectThrows(
                  DeadlineExceededException.class,
                  () -> ChannelOpening.of(agent, List.of(1), rank -> null, soon, Optional::empty))
              .getMessage();
      assertTrue(message.contains("within 50 ms"), message);
      stuck.countDown();
    }
  }

  /** A peer that has died does not dial; of that somebody else has told. */
  @Test(timeOut = 60_000)
  public void shouldEndOnceOthersTellWhy() {
    AtomicReference<TomboloException> told = new AtomicReference<>();
    try (Agent agent = new Agent(() -> false)) {
      HeldCall<Object> opening =
          HeldCall.start(
              () ->
                  ChannelOpening.of(
                      agent,
                      List.of(1),
                      rank -> neverOpen(),
                      Deadline.after(Duration.ofMinutes(5)),
                      () -> Optional.ofNullable(told.get())));
      opening.awaitIn(ChannelOpening.class, "await");
      told.set(new PeerFailedException("rank 1 was killed"));
      assertSame(expectThrows(ExecutionException.class, opening::get).getCause(), told.get());
    }
  }

  /** Both have the same time, and the agent may look at the channel just before it says so. */
  @Test(timeOut = 60_000)
  public void shouldLetAChannelSayWhatItSawWhenItsTimeWasOver() {
    Deadline soon = Deadline.after(Duration.ofMillis(50));
    TomboloException own = new DeadlineExceededException("rank 0 to rank 1 over ucx did not open");
    AtomicInteger looks = new AtomicInteger();
    BooleanSupplier isOpen =
        () -> {
          if (soon.isExpired() && looks.incrementAndGet() == 2) {
            throw own;
          }
          return false;
        };
    assertSame(failureOf(isOpen, soon), own);
  }

  @Test(timeOut = 60_000)
  public void shouldNameThePeersOfChannelsThatSayNothing() {
    String message = failureOf(() -> false, Deadline.after(Duration.ofMillis(50))).getMessage();
    assertTrue(message.contains("could not reach ranks [1] within 50 ms"), message);
  }

  private static TomboloException failureOf(BooleanSupplier isOpen, Deadline deadline) {
    try (Agent agent = new Agent(() -> false)) {
      return expectThrows(
          DeadlineExceededException.class,
          () ->
              ChannelOpening.of(
                  agent, List.of(1), rank -> channel(isOpen), deadline, Optional::empty));
    }
  }

  private static Channel neverOpen() {
    return channel(() -> false);
  }

  private static Channel channel(BooleanSupplier isOpen) {
    return (Channel)
        Proxy.newProxyInstance(
            Channel.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "isOpen" -> isOpen.getAsBoolean();
                  case "peer" -> 1;
                  case "close" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
