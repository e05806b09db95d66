// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is left when everything native was made and closed many times.
 *
 * @param times how often
 * @param files how many more files are open
 * @param memoryKib by how much the process has grown, in KiB
 */
record Cycles(int times, int files, long memoryKib) {
  private static final int WARM_UP = 100;
  private static final int HEAP_MIB = 128;
  private static final Pattern TEXT =
      Pattern.compile("(\\d+) cycles, (-?\\d+) more files open, (-?\\d+) KiB more memory");
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s*(\\d+) kB");

  /** Each round uses all the ids, whose members of the round before have left. */
  static Cycles run(
      DeviceAdaptor device, CclAdaptor ccl, List<byte[]> ids, int rank, int size, int rounds)
      throws IOException {
    for (byte[] id : ids.subList(0, WARM_UP)) {
      makeAndClose(device, ccl, id, rank, size);
    }
    touchHeap();
    int files = openFiles();
    long memoryKib = residentKib();
    for (int round = 0; round < rounds; round++) {
      for (byte[] id : ids) {
        makeAndClose(device, ccl, id, rank, size);
      }
    }
    return new Cycles(rounds * ids.size(), openFiles() - files, residentKib() - memoryKib);
  }

  /** From what {@link #toString} wrote, among other lines. */
  static Cycles parse(String output) {
    Matcher matcher = TEXT.matcher(output);
    if (!matcher.find()) {
      throw new AssertionError("no cycles in: " + output);
    }
    return new Cycles(
        Integer.parseInt(matcher.group(1)),
        Integer.parseInt(matcher.group(2)),
        Long.parseLong(matcher.group(3)));
  }

  @Override
  public String toString() {
    return times + " cycles, " + files + " more files open, " + memoryKib + " KiB more memory";
  }

  private static void makeAndClose(
      DeviceAdaptor device, CclAdaptor ccl, byte[] id, int rank, int size) {
    try (Stream stream = device.newStream();
        Event event = device.newEvent();
        DeviceMemory memory = device.allocate(4096)) {
      event.record(stream);
      device.fillAsync(memory.address(), (byte) rank, memory.sizeBytes(), stream);
      TestDevices.finish(stream);
      ccl.join(id, rank, size).close();
    }
  }

  /** Pages of the Java heap that are first used later would look like a leak. */
  private static void touchHeap() {
    long sum = 0;
    for (int i = 0; i < 2 * HEAP_MIB; i++) {
      sum += new byte[1 << 20].length;
    }
    if (sum == 0) {
      throw new AssertionError("nothing was allocated");
    }
    System.gc();
  }

  private static int openFiles() {
    return new File("/proc/self/fd").list().length;
  }

  private static long residentKib() throws IOException {
    Matcher matcher = RESIDENT.matcher(Files.readString(Path.of("/proc/self/status"), UTF_8));
    if (!matcher.find()) {
      throw new AssertionError("no VmRSS");
    }
    return Long.parseLong(matcher.group(1));
  }
}
