// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.stream.StreamProbe.Answer;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What a probe queues where: a kind of work that it leaves out may be the one that is blocked. And
 * what it frees after a call has failed.
 */
public class StreamProbeTest {
  private static final ImmutableSet<String> BEHIND = ImmutableSet.of("reduceAsync", "copyAsync");

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long PAUSE_NS = 100_000;

  private final SetMultimap<Stream, String> queued = LinkedHashMultimap.create();

  /** The call that fails; none if empty. */
  private String refused = "";

  @Test
  public void shouldAskWithAllThatOurOwnStreamsDo() {
    try (CloseStack stack = new CloseStack()) {
      DeviceAdaptor real = stack.opened(Vendors.named("emu-amd").openDevice(0));
      Stream held = stack.opened(real.newStream());
      Stream follower = stack.opened(real.newStream());
      Stream ours = stack.opened(real.newUrgentStream());
      DeviceAdaptor device = recording(DeviceAdaptor.class, real);
      DeviceReducer kernels = recording(DeviceReducer.class, stack.opened(real.newReducer()));
      StreamProbe probe = stack.opened(new StreamProbe(device, Optional.of(kernels), 1, ours));
      queued.clear();
      assertEquals(probe.passes(held, List.of(follower), List.of(ours)), StreamProbe.Answer.YES);
      assertEquals(queued.get(ours), with("writeValueAsync"));
      assertEquals(queued.get(held), with("waitValueAsync"));
      assertEquals(queued.get(follower), ImmutableSet.of("copyAsync"));
    }
  }

  /** As with a library's call on it that waits for other ranks: that says nothing of a queue. */
  @Test
  public void shouldAskAgainAboutAStreamThatIsMetWhileOursIsBusy() {
    List<DeviceMemory> memory = new ArrayList<>();
    CountDownLatch held = new CountDownLatch(1);
    List<Answer> told = new ArrayList<>();
    AtomicLong nowNs = new AtomicLong(-1);
    try (CloseStack stack = new CloseStack()) {
      DeviceAdaptor real = stack.opened(new HostDevice());
      Stream callers = stack.opened(real.newStream());
      Stream ours = stack.opened(real.newUrgentStream());
      stack.opened(held::countDown); // the stream ends when it has done all
      StreamProbe probe =
          stack.opened(new StreamProbe(failing(real, memory), Optional.empty(), 1, ours));
      HoldableStreams holdable =
          new HoldableStreams(
              Optional.of(probe),
              () -> Answer.YES,
              ImmutableList.of(ours),
              told::add,
              ticker(nowNs));
      ours.launchHostFunction(() -> Uninterruptibles.awaitUninterruptibly(held));
      assertFalse(holdable.has(callers), "nobody can tell");
      assertEquals(told, List.of(Answer.UNDECIDED));
      held.countDown();
      awaitIdle(ours);
      nowNs.addAndGet(Asked.AGAIN_NS - 1);
      assertFalse(holdable.has(callers), "it is probed each time, for seconds");
      nowNs.addAndGet(1);
      assertTrue(holdable.has(callers), "it was refused for good");
      assertEquals(told, List.of(Answer.UNDECIDED));
      assertEquals(holdable.refused(), 0);
    }
    memory.forEach(DeviceMemory::close); // the streams touch it no more
  }

  /** As long as nobody can tell whether our streams are apart from callers', that is no refusal. */
  @Test
  public void shouldAskAgainWhetherOursAreApart() {
    List<DeviceMemory> memory = new ArrayList<>();
    List<Answer> told = new ArrayList<>();
    AtomicLong nowNs = new AtomicLong();
    AtomicReference<Answer> apart = new AtomicReference<>(Answer.UNDECIDED);
    try (CloseStack stack = new CloseStack()) {
      DeviceAdaptor real = stack.opened(new HostDevice());
      Stream callers = stack.opened(real.newStream());
      Stream others = stack.opened(real.newStream());
      Stream ours = stack.opened(real.newUrgentStream());
      StreamProbe probe =
          stack.opened(new StreamProbe(failing(real, memory), Optional.empty(), 1, ours));
      HoldableStreams holdable =
          new HoldableStreams(
              Optional.of(probe), apart::get, ImmutableList.of(ours), told::add, ticker(nowNs));
      assertFalse(holdable.isIdle(callers) || holdable.has(callers), "nobody can tell");
      assertEquals(holdable.refused(), 0);
      nowNs.addAndGet(Asked.AGAIN_NS);
      assertFalse(holdable.has(callers), "nobody can tell the second time");
      apart.set(Answer.YES);
      assertTrue(holdable.has(callers), "it waits, though nothing was asked about it so far");
      apart.set(Answer.NO);
      assertFalse(holdable.has(others));
      assertEquals(told, List.of(Answer.UNDECIDED, Answer.UNDECIDED, Answer.NO));
      assertEquals(holdable.refused(), 1);
    }
    memory.forEach(DeviceMemory::close); // the streams touch it no more
  }

  /** A call of hours may keep ours busy, and what comes after it is to be held again soon. */
  @Test
  public void shouldAskLessAndLessOftenUpToALimit() {
    AtomicLong nowNs = new AtomicLong();
    AtomicInteger times = new AtomicInteger();
    Asked asked = new Asked(ticker(nowNs));
    long pauseNs = 0;
    for (int time = 1; time <= 10; time++) {
      nowNs.addAndGet(pauseNs);
      assertEquals(ask(asked, times), time);
      pauseNs = pauseNs == 0 ? Asked.AGAIN_NS : Math.min(Asked.MOST_NS, 2 * pauseNs);
      nowNs.addAndGet(pauseNs - 1);
      assertEquals(ask(asked, times), time, "asked too early");
      nowNs.addAndGet(1 - pauseNs);
    }
    assertEquals(pauseNs, Asked.MOST_NS);
  }

  /** How often the question was put after one more call, which cannot tell. */
  private static int ask(Asked asked, AtomicInteger times) {
    Answer answer =
        asked.ask(
            () -> {
              times.incrementAndGet();
              return Answer.UNDECIDED;
            });
    assertEquals(answer, Answer.UNDECIDED);
    return times.get();
  }

  private static Ticker ticker(AtomicLong nowNs) {
    return new Ticker() {
      @Override
      public long read() {
        return nowNs.get();
      }
    };
  }

  /** A call that fails amid a probe, and whether something may be under way then. */
  @DataProvider
  public static Object[][] failures() {
    return new Object[][] {{"waitValueAsync", false}, {"copyAsync", true}, {"isDone", true}};
  }

  @Test(dataProvider = "failures")
  public void shouldKeepItsMemoryWhereACallFailsBehindOthers(String call, boolean keeps) {
    List<DeviceMemory> memory = new ArrayList<>();
    try (CloseStack stack = new CloseStack()) {
      DeviceAdaptor real = stack.opened(new HostDevice());
      Stream held = stack.opened(real.newStream());
      Stream ours = stack.opened(real.newUrgentStream());
      StreamProbe probe = new StreamProbe(failing(real, memory), Optional.empty(), 1, ours);
      refused = call;
      assertThrows(VendorException.class, () -> probe.passes(held, List.of(), List.of(ours)));
      refused = "";
      probe.close();
      assertEquals(memory.size(), 2);
      for (DeviceMemory block : memory) {
        if (keeps) {
          assertTrue(block.address() != 0);
        } else {
          assertThrows(IllegalStateException.class, block::address);
        }
      }
    }
    memory.forEach(DeviceMemory::close); // the streams touch it no more
  }

  /** The call that fails while a probe is made, if one does, and whether its stream is busy. */
  @DataProvider
  public static Object[][] beginnings() {
    return new Object[][] {
      {"", false}, {"", true}, {"copyAsync", false}, {"copyAsync", true}, {"record", true}
    };
  }

  /** What it does once when it is made may come late, too. */
  @Test(dataProvider = "beginnings")
  public void shouldFreeNothingThatItsFirstUseHasUnderWay(String call, boolean isBusy) {
    List<DeviceMemory> memory = new ArrayList<>();
    CountDownLatch held = new CountDownLatch(isBusy ? 1 : 0);
    try (CloseStack stack = new CloseStack()) {
      DeviceAdaptor real = stack.opened(new HostDevice());
      Stream ours = stack.opened(real.newUrgentStream());
      stack.opened(held::countDown); // the stream ends when it has done all
      ours.launchHostFunction(() -> Uninterruptibles.awaitUninterruptibly(held));
      if (!isBusy) {
        awaitIdle(ours); // its thread may be late on a busy machine
      }
      refused = call;
      if (call.isEmpty()) {
        new StreamProbe(failing(real, memory), Optional.empty(), 1, ours).close();
      } else {
        assertThrows(
            VendorException.class,
            () -> new StreamProbe(failing(real, memory), Optional.empty(), 1, ours));
      }
      refused = "";
      assertEquals(memory.size(), 2);
      for (DeviceMemory block : memory) {
        if (isBusy) {
          assertTrue(block.address() != 0);
        } else {
          assertThrows(IllegalStateException.class, block::address);
        }
      }
    }
    memory.forEach(DeviceMemory::close); // the stream touches it no more
  }

  private static void awaitIdle(Stream stream) {
    Deadline deadline = Deadline.after(LIMIT);
    while (!stream.isIdle()) {
      assertFalse(deadline.isExpired(), "the stream is still busy after " + LIMIT);
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  /** {@code real}, with which one call fails, or with its events; its {@code memory} is noted. */
  private DeviceAdaptor failing(DeviceAdaptor real, List<DeviceMemory> memory) {
    return StandIn.of(
        DeviceAdaptor.class,
        (method, arguments) -> {
          Object made = passUnlessRefused(real, method, arguments);
          if (made instanceof DeviceMemory block) {
            memory.add(block);
          }
          return made instanceof Event event
              ? StandIn.of(
                  Event.class, (called, values) -> passUnlessRefused(event, called, values))
              : made;
        });
  }

  private Object passUnlessRefused(Object real, Method method, Object[] arguments)
      throws Throwable {
    if (method.getName().equals(refused)) {
      throw new VendorException("unspecified launch failure", 719);
    }
    return StandIn.pass(real, method, arguments);
  }

  private static ImmutableSet<String> with(String call) {
    return ImmutableSet.<String>builder().add(call).addAll(BEHIND).build();
  }

  /** {@code real}; what is queued by it is noted. */
  private <T> T recording(Class<T> type, T real) {
    return StandIn.of(
        type,
        (method, arguments) -> {
          for (Object each : arguments == null ? new Object[0] : arguments) {
            if (each instanceof Stream stream) {
              queued.put(stream, method.getName());
            }
          }
          return StandIn.pass(real, method, arguments);
        });
  }
}
