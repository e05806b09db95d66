// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.stream;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.CloseStack;
import io.tombolo.runtime.StandIn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What is concluded of each kind of free, and beside another communicator of the process, whose
 * work all frees wait for until long after the probe.
 */
public class FreeProbeTest {
  private static final long TIMEOUT_MS = 120_000;

  /** A busy machine may keep a copy as long as a lock would; then the answer is no, for safety. */
  private static final int TRIES = 10;

  @Test(timeOut = TIMEOUT_MS)
  public void shouldNotTakeAFreeThatWaitsForOthersForOneThatHoldsUpCopies() {
    assertTrue(IntStream.range(0, TRIES).anyMatch(i -> answer(false)));
  }

  @Test(timeOut = TIMEOUT_MS)
  public void shouldSayNoWhereACopyWaitsForSuchAFree() {
    assertFalse(answer(true));
  }

  /** What makes the memory whose end keeps a lock. */
  @DataProvider
  public static Object[][] kinds() {
    return new Object[][] {{"allocate"}, {"allocatePinned"}, {"register"}};
  }

  @Test(dataProvider = "kinds", timeOut = TIMEOUT_MS)
  public void shouldSayNoWhereACopyWaitsForTheEndOfOneKindAlone(String made) {
    try (DeviceAdaptor real = Vendors.named("emu-nvidia").openDevice(0);
        CloseStack stack = new CloseStack()) {
      assertFalse(FreeProbe.letsOthersQueue(locking(real, made), stack));
    }
  }

  /** {@code real}, of which copies wait for whoever frees what the call {@code made} has made. */
  private static DeviceAdaptor locking(DeviceAdaptor real, String made) {
    AtomicInteger freeing = new AtomicInteger();
    return StandIn.of(
        DeviceAdaptor.class,
        (method, arguments) -> {
          while (method.getName().equals("copyAsync") && freeing.get() > 0) {
            Thread.sleep(1);
          }
          Object result = StandIn.pass(real, method, arguments);
          return method.getName().equals(made) ? counted((DeviceMemory) result, freeing) : result;
        });
  }

  private static DeviceMemory counted(DeviceMemory block, AtomicInteger freeing) {
    return StandIn.of(
        DeviceMemory.class,
        (method, arguments) -> {
          boolean frees = method.getName().equals("close");
          freeing.addAndGet(frees ? 1 : 0);
          try {
            return StandIn.pass(block, method, arguments);
          } finally {
            freeing.addAndGet(frees ? -1 : 0);
          }
        });
  }

  /** Another communicator of the device fails while the probe's thread is about to free. */
  @Test(timeOut = TIMEOUT_MS)
  public void shouldKeepTheMemoryOfARegistrationThatIsLeftBehind() throws Exception {
    try (DeviceAdaptor real = Vendors.named("emu-nvidia").openDevice(0)) {
      assertKept(real, real::taint, () -> {});
    }
  }

  /** It has failed before, and its library gives up just after the registration was kept. */
  @Test(timeOut = TIMEOUT_MS)
  public void shouldKeepItAlsoWhereTheTaintEndsMeanwhile() throws Exception {
    try (DeviceAdaptor real = Vendors.named("emu-nvidia").openDevice(0)) {
      real.taint();
      assertKept(real, () -> {}, real::endTaint);
    }
  }

  /** A probe of {@code real} keeps its first registration, around whose end two things happen. */
  private static void assertKept(DeviceAdaptor real, Runnable before, Runnable after)
      throws Exception {
    Map<Long, Thread> enders = new ConcurrentHashMap<>();
    DeviceAdaptor failing =
        StandIn.of(
            DeviceAdaptor.class,
            (method, arguments) -> {
              Object result = StandIn.pass(real, method, arguments);
              return method.getName().equals("register")
                  ? failing((DeviceMemory) result, before, after, enders)
                  : result;
            });
    for (int i = 0; i < TRIES && enders.isEmpty(); i++) {
      boolean unused = FreeProbe.letsOthersQueue(failing, new CloseStack());
    }
    assertFalse(enders.isEmpty());
    for (Map.Entry<Long, Thread> each : enders.entrySet()) {
      each.getValue().join(TIMEOUT_MS);
      assertTrue(isMapped(each.getKey()));
    }
  }

  /** {@code block}; {@code enders} has the thread that ends the first one. */
  private static DeviceMemory failing(
      DeviceMemory block, Runnable before, Runnable after, Map<Long, Thread> enders) {
    return StandIn.of(
        DeviceMemory.class,
        (method, arguments) -> {
          boolean isFirst = method.getName().equals("close") && enders.isEmpty();
          if (!isFirst) {
            return StandIn.pass(block, method, arguments);
          }
          enders.put(block.address(), Thread.currentThread());
          before.run();
          Object result = StandIn.pass(block, method, arguments);
          after.run();
          return result;
        });
  }

  private static boolean isMapped(long address) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .anyMatch(line -> isIn(line, address));
  }

  private static boolean isIn(String range, long address) {
    int dash = range.indexOf('-');
    long from = Long.parseUnsignedLong(range.substring(0, dash), 16);
    long to = Long.parseUnsignedLong(range.substring(dash + 1, range.indexOf(' ')), 16);
    return from <= address && address < to;
  }

  private static boolean answer(boolean copiesWait) {
    CountDownLatch others = new CountDownLatch(1);
    try (DeviceAdaptor real = Vendors.named("emu-nvidia").openDevice(0);
        CloseStack stack = new CloseStack()) {
      boolean answer = FreeProbe.letsOthersQueue(beside(real, others, copiesWait), stack);
      others.countDown();
      return answer;
    }
  }

  /** {@code real}, whose blocks are freed when the work of {@code others} has ended. */
  private static DeviceAdaptor beside(
      DeviceAdaptor real, CountDownLatch others, boolean copiesWait) {
    return StandIn.of(
        DeviceAdaptor.class,
        (method, arguments) -> {
          if (copiesWait && method.getName().equals("copyAsync")) {
            Uninterruptibles.awaitUninterruptibly(others);
          }
          Object result = StandIn.pass(real, method, arguments);
          return method.getName().equals("allocate")
              ? freedLate((DeviceMemory) result, others)
              : result;
        });
  }

  private static DeviceMemory freedLate(DeviceMemory block, CountDownLatch others) {
    return StandIn.of(
        DeviceMemory.class,
        (method, arguments) -> {
          if (method.getName().equals("close")) {
            Uninterruptibles.awaitUninterruptibly(others);
          }
          return StandIn.pass(block, method, arguments);
        });
  }
}
