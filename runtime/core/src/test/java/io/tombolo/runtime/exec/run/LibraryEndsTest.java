// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertNotSame;
import static org.testng.Assert.assertSame;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.VendorException;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.engine.Reducers;
import io.tombolo.runtime.exec.engine.Reductions;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.recorder.FlightRing;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** The two libraries of an executor that is closed, of which one waits for others, or refuses. */
public final class LibraryEndsTest {
  private static final long LIMIT_MS = 120_000;
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration MOMENT = Duration.ofMillis(100);
  private static final Capabilities SUMS =
      Capabilities.of(
          EnumSet.allOf(Primitive.class), Set.of(DataType.F32), Set.of(ReduceOp.SUM), Set.of());

  private final HostDevice device = new HostDevice();
  private CountDownLatch others;
  private OwnStreams streams;
  private Reducers reducers;
  private Agent agent;

  @BeforeMethod
  public void open() {
    others = new CountDownLatch(1);
    streams = new OwnStreams(device, Optional.empty(), false);
    reducers = new Reducers(1);
    agent = new Agent(() -> false);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    others.countDown();
    agent.close();
    reducers.close();
    streams.close();
  }

  private static CclCommunicator closing(Runnable close) {
    return StandIn.of(
        CclCommunicator.class,
        (method, arguments) -> {
          if (method.getName().equals("close")) {
            close.run();
          }
          return null;
        });
  }

  private CclCommunicator waiting() {
    return closing(() -> Uninterruptibles.awaitUninterruptibly(others));
  }

  private static CclCommunicator refusing() {
    return closing(
        () -> {
          throw new VendorException("ncclCommDestroy failed", 5);
        });
  }

  private Executor closed(CclCommunicator vendor, CclCommunicator flat) {
    Executor executor =
        new Executor(
            new Executor.Parts(
                0,
                1,
                device,
                Optional.of(vendor),
                Optional.of(flat),
                Reductions.onHost("a test"),
                reducers,
                SUMS,
                1,
                peer -> null,
                Map.of(),
                Optional.empty(),
                streams,
                new WindowCopies(device, streams.windows()),
                new Doorbells(device),
                LONG,
                agent,
                FlightRing.OFF,
                false,
                false),
            new FailureState());
    executor.stop();
    executor.close();
    return executor;
  }

  /** Else calls of another communicator's library would wait behind what this one waits for. */
  @Test(timeOut = LIMIT_MS)
  public void shouldGiveAStreamBackWhenItsLibraryHasEnded() {
    Stream forVendor = streams.lend();
    streams.giveBack(forVendor);
    Executor executor = closed(waiting(), closing(() -> {}));
    executor.awaitLibraries(Deadline.after(MOMENT));
    assertFalse(executor.haveLibrariesEnded());
    Stream ofOther = streams.lend();
    assertNotSame(ofOther, forVendor);
    assertNotSame(streams.lend(), forVendor);

    others.countDown();
    executor.awaitLibraries(Deadline.after(LONG));
    assertTrue(executor.haveLibrariesEnded());
    assertSame(streams.lend(), forVendor);
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldWaitForTheOtherThoughOneRefuses() {
    CountDownLatch ended = new CountDownLatch(1);
    Executor executor =
        closed(
            closing(
                () -> {
                  // fixed time: it is to end after the other has refused
                  Uninterruptibles.sleepUninterruptibly(MOMENT);
                  ended.countDown();
                }),
            refusing());
    VendorException refusal =
        expectThrows(VendorException.class, () -> executor.awaitLibraries(Deadline.after(LONG)));
    assertTrue(refusal.getMessage().contains("ncclCommDestroy"), refusal.getMessage());
    assertEquals(ended.getCount(), 0);
    assertTrue(executor.haveLibrariesEnded());
  }
}
