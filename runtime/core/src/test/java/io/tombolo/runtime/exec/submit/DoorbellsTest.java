// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Deadline;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.runtime.IdleStream;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.stream.HoldableStreams;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Streams that are later than the communicator whose operation they wait for. */
public class DoorbellsTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int PLACES = 64;

  private final HostDevice host = new HostDevice();
  private final Doorbells doorbells = new Doorbells(host);
  private NativeMemory word;
  private LongCell gate;
  private Stream stream;

  @BeforeMethod
  public void open() {
    word = NativeMemory.allocate(Long.BYTES);
    gate = word.cell(0);
    stream = host.newStream();
    host.waitValueAsync(stream, word.address(), 1);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    stream.close();
    word.close();
  }

  @Test(timeOut = 60_000)
  public void shouldLetALateStreamPassWordsOfADoorbellThatIsClosed() {
    Doorbell bell = doorbells.open(HoldableStreams.all(), PLACES);
    bell.queueWait(stream, 5);
    bell.ring(5);
    bell.release(5);
    bell.close();
    gate.setRelease(1);
    IdleStream.await(stream, LONG);
  }

  @Test(timeOut = 60_000)
  public void shouldLetALateStreamPassWordsThatAreUsedAgain() {
    Doorbell first = doorbells.open(HoldableStreams.all(), PLACES);
    first.queueWait(stream, 5);
    first.ring(5);
    first.release(5);
    first.close();
    Doorbell second = doorbells.open(HoldableStreams.all(), PLACES);
    assertFalse(second.hasRung(1), "nothing of the first counts for the second");
    assertFalse(second.hasRung(5), "nothing of the first counts for the second");
    gate.setRelease(1);
    IdleStream.await(stream, LONG);
    second.queueStart(stream, 5);
    second.queueWait(stream, 5);
    awaitRung(second, 5);
    assertFalse(stream.isIdle(), "held until the second lets it go");
    second.release(5);
    IdleStream.await(stream, LONG);
    second.close();
  }

  @Test(timeOut = 60_000)
  public void shouldHoldNoStreamForAnEarlierOperationThatEndsLate() {
    long later = 5 + PLACES;
    Doorbell bell = doorbells.open(HoldableStreams.all(), PLACES);
    bell.queueWait(stream, later);
    bell.ring(later);
    bell.release(later);
    bell.release(5);
    gate.setRelease(1);
    IdleStream.await(stream, LONG);
    bell.close();
  }

  @Test
  public void shouldLendWordsAgainToDoorbellsOfTheSameSizeAlone() {
    AtomicInteger made = new AtomicInteger();
    Doorbells counted = new Doorbells(counting(made));
    counted.open(HoldableStreams.all(), PLACES).close();
    assertEquals(made.get(), 2 * PLACES);
    Doorbell larger = counted.open(HoldableStreams.all(), 4 * PLACES);
    assertEquals(made.get(), (2 + 8) * PLACES);
    counted.open(HoldableStreams.all(), PLACES).close();
    larger.close();
    counted.open(HoldableStreams.all(), 4 * PLACES).close();
    assertEquals(made.get(), (2 + 8) * PLACES);
  }

  /** The host, which counts in {@code made} the words that it is asked for. */
  private DeviceAdaptor counting(AtomicInteger made) {
    return StandIn.of(
        DeviceAdaptor.class,
        (method, arguments) -> {
          if (method.getName().equals("newWords")) {
            made.addAndGet((int) arguments[0]);
          }
          return StandIn.pass(host, method, arguments);
        });
  }

  private static void awaitRung(Doorbell bell, long sequence) {
    Deadline deadline = Deadline.after(LONG);
    while (!bell.hasRung(sequence) && !deadline.isExpired()) {
      Thread.onSpinWait();
    }
    assertTrue(bell.hasRung(sequence));
  }
}
