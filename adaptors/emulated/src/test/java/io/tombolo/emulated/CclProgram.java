package io.tombolo.emulated;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.VendorException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;

/**
 * One member of a communicator, in a process of its own: {@code LIBRARY ROLE RANK SIZE ID_FILE}.
 */
final class CclProgram {
  private static final int CYCLES = 1000;

  private final CclUnderTest library;
  private final int rank;
  private final int size;
  private final Path idFile;

  private CclProgram(String library, String rank, String size, String idFile) {
    this.library = CclUnderTest.valueOf(library);
    this.rank = Integer.parseInt(rank);
    this.size = Integer.parseInt(size);
    this.idFile = Path.of(idFile);
  }

  public static void main(String[] arguments) throws IOException {
    CclProgram program = new CclProgram(arguments[0], arguments[2], arguments[3], arguments[4]);
    try (DeviceAdaptor device = program.library.vendor().openDevice(0);
        CclAdaptor ccl = program.library.vendor().openCcl(device)) {
      switch (arguments[1]) {
        case "conform" -> program.conform(device, ccl);
        case "abort" -> program.abort(device, ccl);
        case "cycles" -> program.cycles(ccl);
        case "faults" -> program.faults(device, ccl);
        default -> throw new IllegalArgumentException(arguments[1]);
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(0); // a vendor's exit handlers are not under test
  }

  private void conform(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    List<CclCase> cases = CclCase.all(ccl.capabilities(), size);
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        Buffers buffers = new Buffers(device, 1000 * Long.BYTES * size)) {
      for (CclCase one : cases) {
        byte[] result = buffers.run(communicator, one);
        if (one.hasResult(rank) && !Arrays.equals(result, one.expected(rank, size))) {
          throw new AssertionError("rank " + rank + " of " + size + ": wrong result of " + one);
        }
      }
    }
    System.out.println(cases.size() + " cases right");
  }

  /** Rank 1 dies after the join, so that rank 0's call can never end by itself. */
  private void abort(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        Buffers buffers = new Buffers(device, Long.BYTES)) {
      if (rank == 1) {
        Runtime.getRuntime().halt(9);
      }
      buffers.startAllReduce(communicator);
      sleepMs(300);
      System.out.println("stuck: " + !buffers.stream.isIdle());
      communicator.abort();
      Devices.finish(buffers.stream);
      System.out.println("released");
      communicator.abort(); // harmless the second time
    }
  }

  private void cycles(CclAdaptor ccl) throws IOException {
    List<byte[]> ids = ids(ccl, CYCLES);
    ccl.join(ids.get(0), rank, size).close();
    int before = openFiles();
    for (int i = 1; i < CYCLES; i++) {
      ccl.join(ids.get(i), rank, size).close();
    }
    System.out.println(CYCLES + " cycles, " + (openFiles() - before) + " more files open");
  }

  private void faults(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    System.out.println("version " + ccl.version());
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        Buffers buffers = new Buffers(device, Long.BYTES)) {
      buffers.startAllReduce(communicator);
      Devices.await("the fault", () -> communicator.asyncError().isPresent());
      System.out.println(communicator.asyncError().orElseThrow().getMessage());
      try {
        communicator.abort();
      } catch (VendorException e) {
        System.out.println("abort: " + e.rawCode() + " " + e.getMessage());
      }
    }
  }

  /** Unique ids that rank 0 makes and the others read from the file. */
  private List<byte[]> ids(CclAdaptor ccl, int count) throws IOException {
    if (rank == 0) {
      byte[] first = ccl.newUniqueId();
      byte[] all = Arrays.copyOf(first, first.length * count);
      for (int i = 1; i < count; i++) {
        System.arraycopy(ccl.newUniqueId(), 0, all, i * first.length, first.length);
      }
      Path part = Files.write(Path.of(idFile + ".part"), all);
      Files.move(part, idFile, StandardCopyOption.ATOMIC_MOVE);
    }
    Devices.await("the unique id", () -> Files.exists(idFile));
    byte[] all = Files.readAllBytes(idFile);
    int length = all.length / count;
    return java.util.stream.IntStream.range(0, count)
        .mapToObj(i -> Arrays.copyOfRange(all, i * length, (i + 1) * length))
        .toList();
  }

  private static int openFiles() {
    return new File("/proc/self/fd").list().length;
  }

  private static void sleepMs(long durationMs) {
    try {
      Thread.sleep(durationMs);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Send and receive blocks on the device, and pinned memory to fill and read them through. */
  private final class Buffers implements AutoCloseable {
    private final DeviceAdaptor device;
    private final DeviceMemory staging;
    private final DeviceMemory send;
    private final DeviceMemory receive;
    private final Stream stream;

    Buffers(DeviceAdaptor device, int sizeBytes) {
      this.device = device;
      this.staging = device.allocatePinned(sizeBytes);
      this.send = device.allocate(sizeBytes);
      this.receive = device.allocate(sizeBytes);
      this.stream = device.newStream();
    }

    void startAllReduce(CclCommunicator communicator) {
      communicator.allReduce(
          send.address(), receive.address(), 1, DataType.F32, ReduceOp.SUM, stream);
    }

    /** Everything on the one stream: copy in, the call, copy out. */
    byte[] run(CclCommunicator communicator, CclCase one) {
      byte[] input = one.input(rank, size);
      int resultBytes = one.receiveCount(size) * one.type().sizeBytes();
      boolean gathers = one.receiveCount(size) > one.sendCount(size);
      long base = one.inPlace() ? receive.address() : send.address();
      long from = one.inPlace() && gathers ? base + one.shardOffset(rank) : base;
      long to = !one.inPlace() || gathers ? receive.address() : base + one.shardOffset(rank);
      copyIn(input, from);
      call(communicator, one, from, to);
      return copyOut(to, resultBytes);
    }

    private void copyIn(byte[] bytes, long to) {
      if (bytes.length > 0) {
        Devices.write(staging.address(), bytes);
        device.copyAsync(CopyDirection.HOST_TO_DEVICE, to, staging.address(), bytes.length, stream);
      }
    }

    private byte[] copyOut(long from, int length) {
      if (length > 0) {
        device.copyAsync(CopyDirection.DEVICE_TO_HOST, staging.address(), from, length, stream);
      }
      Devices.finish(stream);
      return length == 0 ? new byte[0] : Devices.read(staging.address(), length);
    }

    private void call(CclCommunicator communicator, CclCase one, long from, long to) {
      switch (one.collective()) {
        case ALL_REDUCE ->
            communicator.allReduce(from, to, one.count(), one.type(), one.op(), stream);
        case REDUCE ->
            communicator.reduce(from, to, one.count(), one.type(), one.op(), one.root(), stream);
        case BROADCAST ->
            communicator.broadcast(from, to, one.count(), one.type(), one.root(), stream);
        case REDUCE_SCATTER ->
            communicator.reduceScatter(from, to, one.count(), one.type(), one.op(), stream);
        case ALL_GATHER -> communicator.allGather(from, to, one.count(), one.type(), stream);
        default -> throw new AssertionError(one);
      }
    }

    @Override
    public void close() {
      stream.close();
      receive.close();
      send.close();
      staging.close();
    }
  }
}
