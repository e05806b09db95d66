// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.DeviceDialects;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.TomboloException;
import java.util.Arrays;
import java.util.HexFormat;

/** What tests run in a process of its own: one word for what to do, then arguments. */
public final class DeviceProgram {
  private DeviceProgram() {}

  public static void main(String[] arguments) {
    try (DeviceAdaptor device = EmulatedLibrary.NVIDIA.devices(DeviceDialects.CUDA).open(0)) {
      switch (arguments[0]) {
        case "touch" -> touch(device);
        case "read" -> touch(device.allocatePinned(64).address());
        case "allocate" -> allocate(device);
        case "copy" -> copy(device);
        case "free" -> freeAWord(device);
        case "function" -> callHost(device);
        case "peer" -> reach(device);
        case "import" -> open(device, HexFormat.of().parseHex(arguments[1]));
        default -> throw new IllegalArgumentException(arguments[0]);
      }
    }
  }

  /** Host code that uses a device address, as real device memory would not survive it either. */
  private static void touch(DeviceAdaptor device) {
    touch(device.allocate(64).address());
  }

  private static void touch(long address) {
    System.out.println("touching");
    System.out.println("read " + Arrays.toString(TestDevices.read(address, 8)));
  }

  private static void allocate(DeviceAdaptor device) {
    for (int i = 1; i <= 3; i++) {
      try (DeviceMemory block = device.allocate(64)) {
        System.out.println(i + " allocated " + block.sizeBytes());
      } catch (TomboloException e) {
        System.out.println(i + " failed: " + e.getMessage());
      }
    }
  }

  private static void copy(DeviceAdaptor device) {
    try (DeviceMemory block = device.allocate(64);
        Stream stream = device.newStream()) {
      device.copyAsync(
          CopyDirection.DEVICE_TO_DEVICE, block.address(), block.address(), 64, stream);
      TestDevices.finish(stream);
      System.out.println("copied");
    } catch (TomboloException e) {
      System.out.println("failed: " + e.getMessage());
    }
  }

  private static void freeAWord(DeviceAdaptor device) {
    try (Stream stream = device.newStream()) {
      try (DeviceMemory word = device.allocatePinned(Long.BYTES)) {
        NativeMemory.cellAt(word.address()).setRelease(0);
        device.waitValueAsync(stream, word.address(), 1);
      }
      TestDevices.finish(stream);
      System.out.println("passed");
    } catch (TomboloException e) {
      System.out.println("failed: " + e.getMessage());
    }
  }

  /** On threads that come and go: a stream of this device has one of its own. */
  private static void callHost(DeviceAdaptor device) {
    for (int i = 0; i < 3; i++) {
      try (Stream stream = device.newStream()) {
        stream.launchHostFunction(
            () -> System.out.println("called on " + Thread.currentThread().getName()));
        stream.launchHostFunction(
            () -> {
              throw new IllegalStateException("on purpose");
            });
        TestDevices.finish(stream);
      } catch (IllegalStateException e) {
        System.out.println("told " + e.getMessage());
      }
    }
  }

  private static void reach(DeviceAdaptor device) {
    System.out.println("can " + device.canAccessPeer(1));
    try {
      device.enablePeerAccess(1);
    } catch (TomboloException e) {
      System.out.println("refused: " + e.getMessage());
    }
  }

  /** Opens another process's memory, adds one to each byte, and says what it found. */
  private static void open(DeviceAdaptor device, byte[] handle) {
    try (DeviceMemory block = device.openIpc(handle)) {
      int length = (int) block.sizeBytes();
      byte[] bytes = TestDevices.get(device, block.address(), length);
      System.out.println("found " + HexFormat.of().formatHex(bytes));
      for (int i = 0; i < length; i++) {
        bytes[i]++;
      }
      TestDevices.put(device, block.address(), bytes);
    }
  }
}
