// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceChecksummer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.DeviceReducer;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendor;
import io.tombolo.base.DataType;
import io.tombolo.base.LongCell;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.VendorException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What this program does with a device that is as inconvenient as a real one, one word each. */
final class StrictProgram {
  private static final int ROUNDS = 300;
  private static final long SOON_MS = 300;

  private StrictProgram() {}

  public static void main(String[] arguments) throws InterruptedException {
    switch (arguments[0]) {
      case "words" -> holdByAWord(arguments[1]);
      case "urgent" -> copyUrgently(arguments[1]);
      case "abilities" -> tellAbilities(arguments[1]);
      case "fail" -> failACopy(arguments[1]);
      case "legacy" -> copyBesideTheLegacyStream(arguments[1]);
      default -> withNvidia(arguments[0]);
    }
    System.out.println("done");
  }

  private static void withNvidia(String what) throws InterruptedException {
    Vendor vendor = CclUnderTest.EMU_NVIDIA.vendor();
    try (DeviceAdaptor device = vendor.openDevice(0);
        CclAdaptor ccl = vendor.openCcl(device)) {
      switch (what) {
        case "reduce" -> reduceBesideAHeldStream(device);
        case "free" -> freeBesideAHeldStream(device);
        case "call" -> callBesideAFree(device, ccl);
        case "abort" -> abortUnderCalls(device, ccl, ROUNDS);
        case "abort once" -> abortUnderCalls(device, ccl, 1);
        default -> throw new IllegalArgumentException(what);
      }
    }
  }

  private interface Attempt {
    void make() throws InterruptedException;
  }

  /** Holds a stream meanwhile, until this very thread lets it go. */
  private static void holding(DeviceAdaptor device, Attempt attempt) throws InterruptedException {
    try (Stream held = device.newStream()) {
      holding(device, held, attempt);
    }
  }

  private static void holding(DeviceAdaptor device, Stream held, Attempt attempt)
      throws InterruptedException {
    LongCell word = device.newWords(1).get(0);
    if (word.getAcquire() != 0) {
      throw new AssertionError("a new word is " + word.getAcquire());
    }
    device.waitValueAsync(held, word.address(), 1);
    try {
      attempt.make();
    } finally {
      word.setRelease(1);
      TestDevices.finish(held);
    }
  }

  private static void reduceBesideAHeldStream(DeviceAdaptor device) throws InterruptedException {
    try (DeviceMemory numbers = device.allocate(64);
        DeviceMemory checksum = device.allocate(DeviceChecksummer.RESULT_BYTES);
        DeviceReducer reducer = device.newReducer();
        DeviceChecksummer checksummer = device.newChecksummer().orElseThrow();
        Stream stream = device.newUrgentStream()) {
      long at = numbers.address();
      holding(
          device,
          () -> {
            for (DataType type : DataType.values()) {
              reducer.reduceAsync(ReduceOp.MAX, type, at, at, at, 8, stream);
            }
            checksummer.checksumAsync(checksum.address(), at, 64, stream);
            TestDevices.finish(stream);
          });
    }
  }

  private static void freeBesideAHeldStream(DeviceAdaptor device) throws InterruptedException {
    DeviceMemory memory = device.allocate(64);
    holding(
        device,
        () -> {
          try {
            memory.close();
          } catch (TomboloException e) {
            System.out.println("refused: " + e.getMessage());
          }
        });
  }

  /**
   * A call that waits for a free is not what the library's work, which the free waits for, needs.
   */
  private static void callBesideAFree(DeviceAdaptor device, CclAdaptor ccl)
      throws InterruptedException {
    DeviceMemory block = device.allocate(64);
    LongCell word = device.newWords(1).get(0);
    try (CclCommunicator communicator = ccl.join(ccl.newUniqueId(), 0, 1);
        DeviceMemory element = device.allocate(Float.BYTES);
        Stream stream = device.newStream()) {
      long at = element.address();
      Runnable call = () -> communicator.allReduce(at, at, 1, DataType.F32, ReduceOp.SUM, stream);
      device.waitValueAsync(stream, word.address(), 1);
      call.run();
      Thread free = started(block::close);
      free.join(SOON_MS);
      Thread caller = started(call);
      caller.join(SOON_MS);
      System.out.println("waiting: " + (free.isAlive() && caller.isAlive()));
      word.setRelease(1);
      TestDevices.finish(stream);
      free.join();
      caller.join();
      TestDevices.finish(stream);
    }
  }

  private static Thread started(Runnable what) {
    Thread thread = new Thread(what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** One thread asks and calls, the other aborts: as the agent and the failure watch. */
  private static void abortUnderCalls(DeviceAdaptor device, CclAdaptor ccl, int rounds)
      throws InterruptedException {
    try (DeviceMemory element = device.allocate(Float.BYTES);
        Stream stream = device.newStream()) {
      for (int round = 0; round < rounds; round++) {
        CclCommunicator communicator = ccl.join(ccl.newUniqueId(), 0, 1);
        CountDownLatch started = new CountDownLatch(1);
        Thread agent = new Thread(() -> useUntilAborted(communicator, element, stream, started));
        agent.start();
        started.await();
        communicator.abort();
        agent.join();
      }
      TestDevices.finish(stream);
    }
  }

  private static void useUntilAborted(
      CclCommunicator communicator, DeviceMemory element, Stream stream, CountDownLatch started) {
    long at = element.address();
    try {
      while (communicator.asyncError().isEmpty()) {
        communicator.allReduce(at, at, 1, DataType.F32, ReduceOp.SUM, stream);
        started.countDown();
      }
    } catch (IllegalStateException | TomboloException e) {
      return; // aborted
    } finally {
      started.countDown();
    }
  }

  /** Held until the host says so, by a word that was 0 before, if streams can be held. */
  private static void holdByAWord(String name) throws InterruptedException {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0)) {
      System.out.println("host-ordered " + device.isHostOrdered());
      if (!device.isHostOrdered()) {
        holding(device, () -> {});
      }
    }
  }

  /** On a stream of ours, while a caller's is held. */
  private static void copyUrgently(String name) throws InterruptedException {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0);
        DeviceMemory block = device.allocate(Long.BYTES);
        DeviceMemory source = device.allocatePinned(Long.BYTES);
        Stream free = device.newUrgentStream()) {
      holding(
          device,
          () -> {
            CopyDirection way = CopyDirection.HOST_TO_DEVICE;
            device.copyAsync(way, block.address(), source.address(), Long.BYTES, free);
            TestDevices.finish(free);
          });
    }
  }

  /** On streams of both kinds that are made here, while the legacy default stream is held. */
  private static void copyBesideTheLegacyStream(String name) throws InterruptedException {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0);
        DeviceMemory block = device.allocate(Long.BYTES);
        DeviceMemory source = device.allocatePinned(Long.BYTES);
        Stream plain = device.newStream();
        Stream urgent = device.newUrgentStream();
        Stream legacy = device.streamOf(0)) {
      holding(
          device,
          legacy,
          () -> {
            for (Stream free : List.of(plain, urgent)) {
              CopyDirection way = CopyDirection.HOST_TO_DEVICE;
              device.copyAsync(way, block.address(), source.address(), Long.BYTES, free);
              TestDevices.finish(free);
            }
          });
    }
  }

  /** Its memory is gone when its turn comes; nothing is behind it but the event. */
  private static void failACopy(String name) {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0);
        DeviceMemory source = device.allocatePinned(Long.BYTES);
        Event event = device.newEvent();
        Stream stream = device.newUrgentStream()) { // the library's: others are not asked
      LongCell word = device.newWords(1).get(0);
      DeviceMemory block = device.allocate(Long.BYTES);
      device.waitValueAsync(stream, word.address(), 1);
      CopyDirection way = CopyDirection.HOST_TO_DEVICE;
      device.copyAsync(way, block.address(), source.address(), Long.BYTES, stream);
      event.record(stream);
      block.close();
      word.setRelease(1);
      System.out.println(toldOf(event));
    }
  }

  private static String toldOf(Event event) {
    try {
      TestDevices.await("the event", event::isDone);
      return "no error";
    } catch (VendorException e) {
      return "told: " + e.getMessage();
    }
  }

  private static void tellAbilities(String name) throws InterruptedException {
    try (DeviceAdaptor device = TestDevices.all().get(name).open(0)) {
      System.out.println("host-ordered " + device.isHostOrdered());
      System.out.println("flushes " + device.flushesRemoteWrites());
      tellOfRegistering(device);
      if (!device.isHostOrdered()) {
        holding(device, () -> {});
      }
    }
  }

  private static void tellOfRegistering(DeviceAdaptor device) {
    try (NativeMemory host = NativeMemory.allocate(64);
        DeviceMemory registered = device.register(host.address(), 64)) {
      System.out.println("registers " + (registered.address() == host.address()));
    } catch (TomboloException e) {
      System.out.println("refused: " + e.getMessage());
    }
  }
}
