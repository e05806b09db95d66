// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendor;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.LongCell;
import io.tombolo.base.errors.DeadlineExceededException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What checksums without a communicator wait for, and when what they have on a device goes. */
public class DeviceSumsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String VENDOR = "emu-nvidia";
  private static final List<String> ALL =
      List.of("allocatePinned", "allocate", "newChecksummer", "openRuntime");

  private List<String> closed;
  private Deque<AutoCloseable> left;

  /** Counts checksums that devices are given. */
  private volatile CountDownLatch queued;

  @BeforeMethod
  public void start() {
    closed = new ArrayList<>();
    left = new ArrayDeque<>();
    queued = new CountDownLatch(0);
  }

  @AfterMethod(alwaysRun = true)
  public void closeTheRest() throws Exception {
    while (!left.isEmpty()) {
      left.pop().close();
    }
  }

  @DataProvider
  public static Object[][] yesAndNo() {
    return new Object[][] {{true}, {false}};
  }

  /** To free memory, or to unload a kernel, may wait for what only the end of those stops. */
  @Test(dataProvider = "yesAndNo")
  public void shouldGiveNothingBackBeforeAllCommunicatorsHaveEnded(boolean allEnded) {
    VolumeShell shell = new VolumeShell(new DeviceSums(this::watched));
    try (DeviceAdaptor device = Vendors.named(VENDOR).openDevice(0);
        DeviceMemory tensor = device.allocate(8)) {
      int unused = shell.deviceChecksum(VENDOR, 0, tensor.address(), 8, true, 0, 0);
      shell.closeAll();
      assertEquals(closed, List.of());
      shell.closeSums(allEnded);
      assertEquals(closed, allEnded ? ALL : List.of());
      shell.closeSums(true);
      assertEquals(closed, allEnded ? ALL : List.of(), "what was left stays");
    }
  }

  /** The kernel may still be at work when its caller has given up, and at the end. */
  @Test(dataProvider = "yesAndNo", timeOut = 300_000)
  public void shouldGiveBackWhatALateChecksumUsesOnceThatIsDone(boolean isDone) {
    OptionalLong byHost = OptionalLong.empty();
    try (DeviceAdaptor device = Vendors.named(VENDOR).openDevice(0);
        DeviceMemory tensor = device.allocate(8)) {
      DeviceSums sums = new DeviceSums(this::watched);
      int unused = sums.of(VENDOR, 0, tensor.address(), 8, byHost, LONG);
      Stream stream = (Stream) left.peek();
      LongCell gate = device.newWords(1).get(0);
      device.waitValueAsync(stream, gate.address(), 1);
      try {
        assertThrows(
            DeadlineExceededException.class,
            () -> sums.of(VENDOR, 0, tensor.address(), 8, byHost, Duration.ofMillis(50)));
        if (isDone) {
          end(gate, stream);
        }
        sums.close();
        assertEquals(closed, isDone ? ALL : List.of());
      } finally {
        gate.setRelease(1);
        if (!isDone) {
          end(gate, stream);
        }
      }
    }
  }

  /** They share one place for results on the device: a call that may take longer has it first. */
  @Test(timeOut = 300_000)
  public void shouldWaitForOtherThreadsNoLongerThanItMay() throws Exception {
    OptionalLong byHost = OptionalLong.empty();
    try (DeviceAdaptor device = Vendors.named(VENDOR).openDevice(0);
        DeviceMemory tensor = device.allocate(8);
        DeviceSums sums = new DeviceSums(this::watched)) {
      long address = tensor.address();
      int checksum = sums.of(VENDOR, 0, address, 8, byHost, LONG);
      Stream stream = (Stream) left.peek();
      LongCell gate = device.newWords(1).get(0);
      device.waitValueAsync(stream, gate.address(), 1);
      FutureTask<Integer> slow =
          new FutureTask<>(() -> sums.of(VENDOR, 0, address, 8, byHost, LONG));
      try {
        queued = new CountDownLatch(1);
        new Thread(slow, "waits for the device").start();
        assertTrue(queued.await(LONG.toSeconds(), TimeUnit.SECONDS), "it does not come");
        DeadlineExceededException late =
            expectThrows(
                DeadlineExceededException.class,
                () -> sums.of(VENDOR, 0, address, 8, byHost, Duration.ofMillis(50)));
        assertTrue(late.getMessage().contains("other threads after 50 ms"), late.getMessage());
        assertFalse(slow.isDone(), "it has waited until that one had given up");
      } finally {
        end(gate, stream);
      }
      assertEquals((int) slow.get(LONG.toSeconds(), TimeUnit.SECONDS), checksum);
      assertEquals(sums.of(VENDOR, 0, address, 8, byHost, LONG), checksum);
    }
  }

  /** Lets {@code stream} go on, and returns once nothing of it uses memory any more. */
  private static void end(LongCell gate, Stream stream) {
    gate.setRelease(1);
    new StreamPatience("the test", LONG).awaitIdle(stream, "a checksum", 8);
  }

  private Vendor watched(String name) {
    return watched(Vendor.class, Vendors.named(name), "");
  }

  /** {@code real}; lists by which call what is closed was made. Streams are what they are. */
  private <T> T watched(Class<T> type, T real, String madeBy) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("close")) {
                closed.add(madeBy);
                left.remove(real);
              } else if (method.getName().equals("checksumAsync")) {
                queued.countDown();
              }
              return watched(method.getName(), invoked(real, method, arguments));
            }));
  }

  private Object watched(String call, Object result) {
    if (result instanceof Optional<?> some && some.isPresent()) {
      return Optional.of(watched(call, some.get()));
    } else if (result instanceof DeviceAdaptor device) {
      left.push(device);
      return watched(DeviceAdaptor.class, device, call);
    } else if (result instanceof DeviceMemory memory) {
      left.push(memory);
      return watched(DeviceMemory.class, memory, call);
    } else if (result instanceof DeviceChecksummer checksummer) {
      left.push(checksummer);
      return watched(DeviceChecksummer.class, checksummer, call);
    } else if (result instanceof Stream stream) {
      left.push(stream);
    }
    return result;
  }

  private static Object invoked(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
