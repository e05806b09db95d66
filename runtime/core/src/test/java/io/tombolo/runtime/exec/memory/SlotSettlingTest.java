// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.reflect.Reflection;
import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.NativeMemory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Who may have the device waited for, and who waits for that. */
public final class SlotSettlingTest {
  private static final long LIMIT_MS = 60_000;

  private final List<String> order = new CopyOnWriteArrayList<>();
  private CountDownLatch registering;
  private CountDownLatch mayEnd;
  private SlotPins pins;
  private NativeMemory memory;
  private boolean busy;
  private SlotSettling settling;

  @BeforeMethod
  public void adopt() {
    order.clear();
    registering = new CountDownLatch(1);
    mayEnd = new CountDownLatch(1);
    busy = false;
    pins =
        new SlotPins(
            Reflection.newProxy(
                DeviceAdaptor.class,
                (self, method, arguments) -> {
                  if (method.getName().equals("isTainted")) {
                    return false;
                  }
                  registering.countDown();
                  Uninterruptibles.awaitUninterruptibly(mayEnd);
                  order.add("settled");
                  return Reflection.newProxy(DeviceMemory.class, (block, each, none) -> null);
                }));
    settling = new SlotSettling(pins, () -> busy);
    memory = NativeMemory.allocate(4096);
    pins.adopt(memory);
  }

  @AfterMethod
  public void free() {
    memory.close();
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldLetNobodyBeginWhileAnotherSettles() throws InterruptedException {
    Thread first = new Thread(this::call);
    Thread second = new Thread(this::call);
    first.start();
    registering.await();
    second.start();
    while (second.getState() != Thread.State.BLOCKED) {
      Thread.onSpinWait();
    }
    mayEnd.countDown();
    first.join();
    second.join();
    assertEquals(order, List.of("settled", "called", "called"));
    assertFalse(pins.isUnsettled());
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNotSettleWhileAnotherIsAboutToBegin() {
    mayEnd.countDown();
    busy = true;
    settling.enter();
    busy = false;
    call();
    assertEquals(order, List.of("called"));
    settling.leave();
    call();
    assertEquals(order, List.of("called", "settled", "called"));
  }

  @Test(timeOut = LIMIT_MS)
  public void shouldNotSettleWhileSomethingIsUnderWay() {
    busy = true;
    call();
    assertTrue(pins.isUnsettled());
    assertEquals(order, List.of("called"));
  }

  private void call() {
    settling.enter();
    order.add("called");
    settling.leave();
  }
}
