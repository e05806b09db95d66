// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.equipment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.reflect.Reflection;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.errors.VendorException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Members that are left on their way into a communicator, at one moment or another. */
public final class JoiningMemberTest {
  private static final long LIMIT_MS = 120_000;
  private static final Duration LONG = Duration.ofSeconds(60);

  /** What was done, in its order. */
  private List<String> done;

  private CountDownLatch taintEnded;
  private DeviceAdaptor device;

  @BeforeMethod
  public void open() {
    List<String> ofThisTest = new CopyOnWriteArrayList<>();
    CountDownLatch ended = new CountDownLatch(1);
    device =
        Reflection.newProxy(
            DeviceAdaptor.class,
            (proxy, method, arguments) -> {
              ofThisTest.add(method.getName());
              if (method.getName().equals("endTaint")) {
                ended.countDown();
              }
              return null;
            });
    done = ofThisTest;
    taintEnded = ended;
  }

  /** The first calls wait for members that do not come, until an abort ends them. */
  @Test(timeOut = LIMIT_MS)
  public void shouldTaintNothingWhereAnAbortEndsTheFirstCalls() throws InterruptedException {
    CountDownLatch aborted = new CountDownLatch(1);
    CountDownLatch calling = new CountDownLatch(1);
    JoiningMember member = new JoiningMember(0, device, true);
    CclCommunicator communicator =
        aborting(
            () -> {
              done.add("abort");
              aborted.countDown();
            });
    Thread thread =
        started(
            () ->
                member.enter(
                    () -> communicator,
                    joined -> {
                      calling.countDown();
                      Uninterruptibles.awaitUninterruptibly(aborted);
                      done.add("end of the first calls");
                    }));
    assertTrue(Uninterruptibles.awaitUninterruptibly(calling, LONG));
    member.leave();
    assertEquals(done, ImmutableList.of("abort", "end of the first calls"));
    thread.join(LONG.toMillis());
    assertFalse(thread.isAlive());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldEndTheTaintWhenALateAbortHasEnded() {
    CountDownLatch mayEnd = new CountDownLatch(1);
    JoiningMember member = new JoiningMember(0, device, true);
    CclCommunicator communicator = aborting(() -> Uninterruptibles.awaitUninterruptibly(mayEnd));
    CclCommunicator unused = member.enter(() -> communicator, joined -> {});
    member.leave();
    assertEquals(done, ImmutableList.of("taint"));
    mayEnd.countDown();
    assertTrue(Uninterruptibles.awaitUninterruptibly(taintEnded, LONG));
    assertEquals(done, ImmutableList.of("taint", "endTaint"));
  }

  /** An abort is not all: what the thread queues in its last call is there a moment longer. */
  @Test(timeOut = LIMIT_MS)
  public void shouldEndTheTaintWhenALateThreadHasEnded() {
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch calling = new CountDownLatch(1);
    JoiningMember member = new JoiningMember(0, device, true);
    CclCommunicator communicator = aborting(() -> done.add("abort"));
    Thread thread =
        started(
            () ->
                member.enter(
                    () -> communicator,
                    joined -> {
                      calling.countDown();
                      Uninterruptibles.awaitUninterruptibly(mayEnd);
                    }));
    assertTrue(Uninterruptibles.awaitUninterruptibly(calling, LONG));
    member.leave();
    assertEquals(done, ImmutableList.of("abort", "taint"));
    mayEnd.countDown();
    assertTrue(Uninterruptibles.awaitUninterruptibly(taintEnded, LONG));
    Uninterruptibles.joinUninterruptibly(thread);
    assertEquals(done, ImmutableList.of("abort", "taint", "endTaint"));
  }

  /** Nobody would end its first calls. */
  @Test(timeOut = LIMIT_MS)
  public void shouldAbortWhatIsJoinedOnlyAfterItWasLeft() {
    CountDownLatch mayJoin = new CountDownLatch(1);
    JoiningMember member = new JoiningMember(0, device, true);
    CclCommunicator communicator = aborting(() -> done.add("abort"));
    Thread thread =
        started(
            () ->
                member.enter(
                    () -> {
                      Uninterruptibles.awaitUninterruptibly(mayJoin);
                      return communicator;
                    },
                    joined -> done.add("first calls")));
    member.leave();
    assertEquals(done, ImmutableList.of("taint"));
    mayJoin.countDown();
    assertTrue(Uninterruptibles.awaitUninterruptibly(taintEnded, LONG));
    Uninterruptibles.joinUninterruptibly(thread);
    assertEquals(done, ImmutableList.of("taint", "abort", "endTaint"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldLeaveALibraryBehindThatCannotAbort() {
    JoiningMember member = new JoiningMember(0, device, false);
    CclCommunicator communicator = aborting(() -> done.add("abort"));
    CclCommunicator unused = member.enter(() -> communicator, joined -> done.add("first calls"));
    member.leave();
    assertEquals(done, ImmutableList.of("first calls", "taint"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldKeepTheTaintWhereTheLibraryRefusesToAbort() {
    JoiningMember member = new JoiningMember(0, device, true);
    CclCommunicator communicator =
        aborting(
            () -> {
              throw new VendorException("ncclCommAbort failed", 5);
            });
    CclCommunicator unused = member.enter(() -> communicator, joined -> {});
    member.leave();
    assertEquals(done, ImmutableList.of("taint"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNotWaitOnAnInterruptedThread() {
    CountDownLatch mayEnd = new CountDownLatch(1);
    JoiningMember member = new JoiningMember(0, device, true);
    CclCommunicator communicator = aborting(() -> Uninterruptibles.awaitUninterruptibly(mayEnd));
    CclCommunicator unused = member.enter(() -> communicator, joined -> {});
    Thread.currentThread().interrupt();
    member.leave();
    assertTrue(Thread.interrupted());
    assertEquals(done, ImmutableList.of("taint"));
    mayEnd.countDown();
    assertTrue(Uninterruptibles.awaitUninterruptibly(taintEnded, LONG));
  }

  private static Thread started(Runnable what) {
    Thread thread = new Thread(what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static CclCommunicator aborting(Runnable abort) {
    return Reflection.newProxy(
        CclCommunicator.class,
        (proxy, method, arguments) -> {
          assertEquals(method.getName(), "abort");
          abort.run();
          return null;
        });
  }
}
