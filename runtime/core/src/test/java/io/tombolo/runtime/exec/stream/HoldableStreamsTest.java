// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.runtime.HeldCall;
import io.tombolo.runtime.StandIn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Callers' streams on devices whose streams share hardware queues, another way in each run. */
@Test(singleThreaded = true)
public class HoldableStreamsTest {
  private static final int STREAMS = 12;

  /** With four queues, all of these miss one of them in one run of a hundred million. */
  private static final int MANY = 64;

  private static final long LIMIT_MS = 120_000;
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(30);

  private CloseStack stack;
  private DeviceAdaptor device;
  private OwnStreams ours;
  private LongCell word;
  private LongCell written;
  private DeviceMemory target;
  private DeviceMemory block;

  private void open(String vendor) {
    stack = new CloseStack();
    device = stack.opened(Vendors.named(vendor).openDevice(0));
    ours = stack.opened(new OwnStreams(device, Optional.empty(), false));
    List<LongCell> words = device.newWords(2);
    word = words.get(0);
    written = words.get(1);
    target = stack.opened(device.allocatePinned(Long.BYTES));
    block = stack.opened(device.allocate(Long.BYTES));
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    stack.close();
  }

  /** Where priorities have queues of their own, and where nobody says that they do. */
  @DataProvider
  public static Object[][] vendors() {
    return new Object[][] {{"emu-nvidia", true}, {"emu-amd", true}, {"emu-cambricon", false}};
  }

  @Test(dataProvider = "vendors", timeOut = LIMIT_MS)
  public void shouldHoldStreamsWhereOursHaveQueuesOfTheirOwn(String vendor, boolean apart) {
    open(vendor);
    HoldableStreams holdable = ours.beside(Optional.empty());
    for (int i = 0; i < STREAMS; i++) {
      Stream stream = stack.opened(device.newStream());
      assertEquals(holdable.has(stream), apart, vendor + ", stream " + i);
      assertEquals(holdable.has(stream), apart, "for good");
      assertTrue(!apart || goOnBeside(stream, List.of(), LONG), vendor + ", stream " + i);
    }
    assertEquals(holdable.refused(), apart ? 0 : STREAMS);
    assertEquals(
        ours.hostOrder(),
        apart ? Optional.empty() : Optional.of("callers' streams share hardware queues with ours"));
  }

  /** Streams that no call was ever made on wait in their queues, too. */
  @Test(dataProvider = "vendors", timeOut = LIMIT_MS)
  public void shouldHoldNoStreamThatLetsAnotherHoldUpOneOfOurs(String vendor, boolean apart) {
    open(vendor);
    HoldableStreams holdable = ours.beside(Optional.empty());
    for (int i = 0; i < STREAMS; i++) {
      Stream stream = stack.opened(device.newStream());
      if (holdable.has(stream)) {
        List<Stream> others = new ArrayList<>();
        for (int j = 0; j < STREAMS; j++) {
          others.add(stack.opened(device.newStream()));
        }
        assertTrue(goOnBeside(stream, others, LONG), vendor + ", stream " + i);
      }
    }
  }

  /** A stream of our own priority is in one of our queues sooner or later. */
  @Test(timeOut = LIMIT_MS)
  public void shouldNotTrustInPriorities() {
    open("emu-amd");
    HoldableStreams holdable = ours.beside(Optional.empty());
    for (int i = 0; i < MANY && holdable.refused() == 0; i++) {
      Stream stream = stack.opened(device.newUrgentStream());
      boolean held = holdable.has(stream);
      assertEquals(goOnBeside(stream, List.of(), held ? LONG : SHORT), held, "stream " + i);
    }
    assertFalse(holdable.refused() == 0, MANY + " streams, and none in any of our queues");
    assertEquals(
        ours.hostOrder(), Optional.of("a caller's stream is in a hardware queue with one of ours"));
  }

  /** As when callers' kernels fill the device: nothing is known of queues then. */
  @Test(timeOut = LIMIT_MS)
  public void shouldRefuseNothingForGoodWhileOursAreBusy() {
    open("emu-nvidia");
    HoldableStreams holdable = ours.beside(Optional.empty());
    long turn = word.getAcquire() + 1;
    device.waitValueAsync(ours.arithmetic(), word.address(), turn);
    try {
      assertFalse(holdable.has(stack.opened(device.newStream())), "nobody can tell");
      assertEquals(holdable.refused(), 0);
      String why = ours.hostOrder().orElseThrow();
      assertTrue(why.contains("too busy to tell"), why);
    } finally {
      word.setRelease(turn);
    }
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldGiveTheNextCommunicatorTheStreamOfTheOneBefore() {
    open("emu-nvidia");
    Stream first = ours.lend();
    Stream second = ours.lend();
    assertFalse(first.equals(second), "two communicators at once");
    ours.giveBack(first);
    assertEquals(ours.lend(), first);
  }

  /** What a session makes waits for all work of the device. */
  @Test(timeOut = LIMIT_MS)
  public void shouldHoldStreamsAlsoIfTheFirstSessionHeldOneWhileTheSecondJoined() throws Exception {
    open("emu-nvidia");
    Stream held = stack.opened(device.newStream());
    assertTrue(ours.beside(Optional.empty()).has(held));
    DeviceAdaptor again = stack.opened(Vendors.named("emu-nvidia").openDevice(0));
    long turn = word.getAcquire() + 1;
    device.waitValueAsync(held, word.address(), turn);
    HeldCall<OwnStreams> joining =
        HeldCall.start(() -> new OwnStreams(again, Optional.empty(), false));
    joining.awaitIn(StreamProbe.class, "<init>");
    word.setRelease(turn);
    OwnStreams second = stack.opened(joining.get());
    assertEquals(second.hostOrder(), Optional.empty());
    assertTrue(second.beside(Optional.empty()).has(stack.opened(again.newStream())));
  }

  /**
   * As two process groups of torch, each of which opens the device and has its own streams: all
   * probes of the second lie between the hold of one of the first and its end.
   */
  @Test(timeOut = LIMIT_MS)
  public void shouldHoldStreamsOfASecondSessionWhileTheFirstIsInTheMiddleOfAProbe()
      throws Exception {
    open("emu-nvidia");
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicReference<Stream> paused = new AtomicReference<>();
    DeviceAdaptor pausing = pausing(paused, goOn);
    OwnStreams first = stack.opened(new OwnStreams(pausing, Optional.empty(), false));
    DeviceAdaptor again = stack.opened(Vendors.named("emu-nvidia").openDevice(0));
    OwnStreams second = stack.opened(new OwnStreams(again, Optional.empty(), false));
    HoldableStreams ofFirst = first.beside(Optional.empty());
    HoldableStreams ofSecond = second.beside(Optional.empty());
    assertTrue(ofFirst.has(stack.opened(device.newStream()))); // which asks about all of ours, too

    Stream held = stack.opened(device.newStream());
    paused.set(held);
    HeldCall<Boolean> probing = HeldCall.start(() -> ofFirst.has(held));
    try {
      probing.awaitIn(HoldableStreamsTest.class, "isToGoOn");
      for (int i = 0; i < STREAMS; i++) {
        assertTrue(ofSecond.has(stack.opened(again.newStream())), "stream " + i);
      }
      assertEquals(paused.get(), held, "the first one's probe went on before the second one's");
    } finally {
      goOn.countDown();
    }
    assertTrue(probing.get(), "of the first session");
  }

  /**
   * The device, which returns from the hold of what is {@code paused} when it is to go on; what
   * waits for that too long is not paused any more.
   */
  private DeviceAdaptor pausing(AtomicReference<Stream> paused, CountDownLatch goOn) {
    return StandIn.of(
        DeviceAdaptor.class,
        (method, arguments) -> {
          Object result = StandIn.pass(device, method, arguments);
          boolean pauses =
              method.getName().equals("waitValueAsync") && arguments[0] == paused.get();
          if (pauses && !isToGoOn(goOn)) {
            paused.set(null);
          }
          return result;
        });
  }

  /** Not for good: a second session that waits for the first is to be told from one that hangs. */
  private static boolean isToGoOn(CountDownLatch goOn) {
    return Uninterruptibles.awaitUninterruptibly(goOn, LONG);
  }

  /**
   * Whether all of ours do their work within {@code patience} while {@code stream} is held and
   * {@code others} wait for it.
   */
  private boolean goOnBeside(Stream stream, List<Stream> others, Duration patience) {
    List<Event> ends = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ends.add(stack.opened(device.newEvent()));
    }
    long turn = word.getAcquire() + 1;
    Event behind = stack.opened(device.newAwaitedEvent());
    device.waitValueAsync(stream, word.address(), turn);
    behind.record(stream);
    copy(stream);
    others.forEach(other -> other.waitFor(behind));
    others.forEach(this::copy);
    int next = 0;
    for (Stream own : List.of(ours.copies(), ours.arithmetic(), ours.windows())) {
      device.writeValueAsync(own, written.address(), turn);
      copy(own);
      ends.get(next++).record(own);
    }
    boolean went = isDone(ends, patience);
    word.setRelease(turn);
    assertTrue(isDone(ends, LONG), "let go");
    return went;
  }

  private void copy(Stream stream) {
    device.copyAsync(CopyDirection.DEVICE_TO_HOST, target.address(), block.address(), 8, stream);
  }

  private static boolean isDone(List<Event> ends, Duration patience) {
    Deadline deadline = Deadline.after(patience);
    while (!ends.stream().allMatch(Event::isDone) && !deadline.isExpired()) {
      LockSupport.parkNanos(50_000);
    }
    return ends.stream().allMatch(Event::isDone);
  }
}
