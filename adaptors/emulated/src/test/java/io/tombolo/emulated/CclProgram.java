// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.base.Splitter;
import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Vendor;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.base.errors.VendorException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One member of a communicator, in a process of its own: {@code LIBRARY ROLE,... RANK SIZE FOLDER}.
 * It plays its roles one after the other.
 */
final class CclProgram {
  /** The environment's variable for how often role {@code cycles} goes through its ids. */
  static final String CYCLE_ROUNDS = "CYCLE_ROUNDS";

  /** How often role {@code chain} goes through its streams. */
  static final int CHAINS = 5;

  /** Ids of role {@code cycles}. */
  static final int CYCLES = 1000;

  private final CclUnderTest library;
  private final int rank;
  private final int size;
  private final Path folder;
  private final String role;

  private CclProgram(String library, String role, String rank, String size, String folder) {
    this.library = CclUnderTest.valueOf(library);
    this.rank = Integer.parseInt(rank);
    this.size = Integer.parseInt(size);
    this.folder = Path.of(folder);
    this.role = role;
  }

  public static void main(String[] arguments) throws IOException {
    Vendor vendor = CclUnderTest.valueOf(arguments[0]).vendor();
    try (DeviceAdaptor device = vendor.openDevice(0);
        CclAdaptor ccl = vendor.openCcl(device)) {
      for (String role : Splitter.on(',').split(arguments[1])) {
        new CclProgram(arguments[0], role, arguments[2], arguments[3], arguments[4])
            .play(device, ccl);
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(0); // a vendor's exit handlers are not under test
  }

  private void play(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    switch (role) {
      case "conform" -> conform(device, ccl);
      case "chain" -> chain(device, ccl);
      case "abort" -> abort(device, ccl);
      case "abort-group" -> abortGroup(device, ccl);
      case "abort-register" -> abortRegister(ccl);
      case "send-first" -> sendFirst(device, ccl);
      case "two-orders" -> twoOrders(device, ccl, true);
      case "stuck-orders" -> twoOrders(device, ccl, false);
      case "unequal" -> unequal(device, ccl);
      case "cycles" -> cycles(device, ccl);
      case "hang" -> hang(device, ccl);
      case "slow" -> slow(ccl);
      case "lonely" -> lonely(ccl);
      case "async-error" -> asyncError(device, ccl);
      case "faults" -> faults(device, ccl);
      default -> throw new IllegalArgumentException(role);
    }
  }

  private void conform(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    List<CclCase> cases = CclCase.all(ccl.capabilities(), size);
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        CclBuffers buffers = new CclBuffers(device, bufferBytes(), rank, size)) {
      Conformance sum = tried(communicator, buffers, cases, refusals(ccl, communicator, buffers));
      if (ccl.capabilities().has(Flag.REGISTERED_BUFFERS)) {
        sum = sum.plus(tryRegistered(device, ccl, communicator, cases));
      }
      System.out.println(sum);
    }
  }

  /** The larger cases once more: with everyone's buffers registered, and with one member's. */
  private Conformance tryRegistered(
      DeviceAdaptor device, CclAdaptor ccl, CclCommunicator communicator, List<CclCase> cases) {
    List<CclCase> larger = cases.stream().filter(one -> one.count() > size + 1).toList();
    Conformance sum = new Conformance(0, 0, 0, 0);
    for (boolean use : new boolean[] {true, rank == 1}) {
      try (CclBuffers buffers =
          CclBuffers.registered(device, ccl, communicator, use, bufferBytes(), rank, size)) {
        sum = sum.plus(tried(communicator, buffers, larger, 0));
      }
    }
    return sum;
  }

  private int bufferBytes() {
    return CclCase.LARGE * Long.BYTES * size;
  }

  private Conformance tried(
      CclCommunicator communicator, CclBuffers buffers, List<CclCase> cases, int refused) {
    int wrong = 0;
    for (CclCase one : cases) {
      if (!buffers.isRight(communicator, one)) {
        System.out.println("rank " + rank + " of " + size + ": wrong result of " + one);
        wrong++;
      }
    }
    return new Conformance(cases.size(), cases.size() - wrong, refused, wrong);
  }

  /**
   * Every undeclared combination must be refused; a library that was asked would be given nonsense.
   */
  private static int refusals(CclAdaptor ccl, CclCommunicator communicator, CclBuffers buffers) {
    List<CclCase> cases = CclCase.undeclared(ccl.capabilities());
    for (CclCase one : cases) {
      try {
        buffers.call(communicator, one, 1, 2);
        throw new AssertionError("not declared and not refused: " + one);
      } catch (UnsupportedException e) {
        if (!e.getMessage().contains("not declared")) {
          throw e;
        }
      }
    }
    return cases.size();
  }

  /** The members' producers are let go at different times. */
  private void chain(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        CclChain chain = new CclChain(library.vendor().name(), device, rank, size)) {
      for (int round = 0; round < CHAINS; round++) {
        chain.queue(communicator);
        sleepMs(10L * rank);
        boolean early = chain.hasBegun();
        chain.open();
        System.out.println("early: " + early + ", wrong: " + chain.wrong());
      }
    }
  }

  /**
   * Members connect in their first call, which blocks until all have made it; later ones do not.
   */
  private static void connect(CclCommunicator communicator, CclBuffers buffers) {
    buffers.startAllReduce(communicator);
    TestDevices.finish(buffers.stream());
  }

  /** Rank 1 dies after the first call, so that rank 0's next one can never end by itself. */
  private void abort(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        CclBuffers buffers = new CclBuffers(device, Long.BYTES, rank, size)) {
      connect(communicator, buffers);
      meet();
      if (rank == 1) {
        Runtime.getRuntime().halt(9);
      }
      buffers.startAllReduce(communicator);
      sleepMs(300);
      System.out.println("stuck: " + !buffers.stream().isIdle());
      communicator.abort();
      TestDevices.finish(buffers.stream());
      System.out.println("released");
      communicator.abort(); // harmless the second time
    }
  }

  /** Rank 1 dies after the join, so that rank 0's group can never connect by itself. */
  private void abortGroup(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
    if (rank == 1) {
      Runtime.getRuntime().halt(9);
    }
    try (CclBuffers buffers = new CclBuffers(device, Long.BYTES, rank, size)) {
      CompletableFuture<String> launched =
          CompletableFuture.supplyAsync(() -> launched(communicator, buffers));
      TestDevices.await("the group's end to be called", () -> isEndingAGroup(communicator));
      sleepMs(300);
      System.out.println("stuck: " + !launched.isDone());
      communicator.abort();
      TestDevices.await("the end", launched::isDone);
      System.out.println("released: " + launched.join());
    }
  }

  /** Aborted before, it would refuse the calls of the group. */
  private static boolean isEndingAGroup(CclCommunicator communicator) {
    return communicator.callUnderWay().filter(call -> call.contains("GroupEnd")).isPresent();
  }

  private static String launched(CclCommunicator communicator, CclBuffers buffers) {
    try {
      communicator.groupStart();
      buffers.startExchange(communicator, 1);
      communicator.groupEnd();
      return "launched";
    } catch (VendorException e) {
      return e.getMessage();
    }
  }

  /** Rank 1 dies after the join, so that rank 0 can never register by itself. */
  private void abortRegister(CclAdaptor ccl) throws IOException {
    CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
    if (rank == 1) {
      Runtime.getRuntime().halt(9);
    }
    try (DeviceMemory memory = ccl.allocate(1)) {
      CompletableFuture<String> registered =
          CompletableFuture.supplyAsync(() -> registered(communicator, memory));
      sleepMs(300);
      System.out.println("stuck: " + !registered.isDone());
      communicator.abort();
      TestDevices.await("the end", registered::isDone);
      System.out.println("released: " + registered.join());
    }
  }

  private static String registered(CclCommunicator communicator, DeviceMemory memory) {
    try {
      communicator.register(memory);
      return "registered";
    } catch (VendorException e) {
      return e.getMessage();
    }
  }

  /** In a group both may send first; outside, both wait for ever. */
  private void sendFirst(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        CclBuffers buffers = new CclBuffers(device, Long.BYTES, rank, size)) {
      communicator.groupStart();
      buffers.startExchange(communicator, 1);
      communicator.groupEnd();
      TestDevices.finish(buffers.stream());
      System.out.println("in a group: done");
      buffers.startExchange(communicator, 1);
      sleepMs(300);
      System.out.println("stuck: " + !buffers.stream().isIdle());
      meet();
      communicator.abort();
      TestDevices.finish(buffers.stream());
    }
  }

  /**
   * Two communicators on a stream each, called in opposite orders by even and odd members. Calls
   * that {@code end} are waited for: on a busy machine nobody knows how long they take.
   */
  private void twoOrders(DeviceAdaptor device, CclAdaptor ccl, boolean end) throws IOException {
    List<byte[]> ids = ids(ccl, 2);
    try (CclCommunicator one = ccl.join(ids.get(0), rank, size);
        CclCommunicator other = ccl.join(ids.get(1), rank, size);
        CclBuffers ofOne = new CclBuffers(device, Long.BYTES, rank, size);
        CclBuffers ofOther = new CclBuffers(device, Long.BYTES, rank, size)) {
      System.out.println("flags: " + ccl.capabilities().flags());
      connect(one, ofOne);
      connect(other, ofOther);
      if (rank % 2 == 0) {
        ofOne.startAllReduce(one);
        ofOther.startAllReduce(other);
      } else {
        ofOther.startAllReduce(other);
        ofOne.startAllReduce(one);
      }
      if (end) {
        TestDevices.finish(ofOne.stream());
        TestDevices.finish(ofOther.stream());
      } else {
        sleepMs(300);
      }
      System.out.println("stuck: " + !(ofOne.stream().isIdle() && ofOther.stream().isIdle()));
      meet();
      one.abort();
      other.abort();
      TestDevices.finish(ofOne.stream());
      TestDevices.finish(ofOther.stream());
      System.out.println("released");
    }
  }

  /** A group that sends one element and receives two. */
  private void unequal(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        CclBuffers buffers = new CclBuffers(device, Long.BYTES, rank, size)) {
      System.out.println("flags: " + ccl.capabilities().flags());
      communicator.groupStart();
      buffers.startExchange(communicator, 1 + rank);
      communicator.groupEnd();
      TestDevices.await(
          "an end", () -> buffers.stream().isIdle() || communicator.asyncError().isPresent());
      System.out.println("error: " + communicator.asyncError().map(Throwable::getMessage));
      communicator.abort();
    }
  }

  private void cycles(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    int rounds = Integer.parseInt(System.getenv(CYCLE_ROUNDS));
    System.out.println(Cycles.run(device, ccl, ids(ccl, CYCLES), rank, size, rounds));
  }

  /** The second call fails behind the caller's back, because the library was told to. */
  private void asyncError(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
    CclBuffers buffers = new CclBuffers(device, Long.BYTES, rank, size);
    buffers.startAllReduce(communicator);
    TestDevices.finish(buffers.stream());
    System.out.println("after call 1: " + asyncError(communicator));
    buffers.startAllReduce(communicator);
    TestDevices.await("the error", () -> communicator.asyncError().isPresent());
    System.out.println("after call 2: " + asyncError(communicator));
  }

  private static String asyncError(CclCommunicator communicator) {
    return communicator.asyncError().map(Throwable::getMessage).orElse("nothing");
  }

  private void faults(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    System.out.println("version " + ccl.version());
    try (CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
        CclBuffers buffers = new CclBuffers(device, Long.BYTES, rank, size)) {
      buffers.startAllReduce(communicator);
      TestDevices.await("the fault", () -> communicator.asyncError().isPresent());
      System.out.println(communicator.asyncError().orElseThrow().getMessage());
      try {
        communicator.abort();
      } catch (VendorException e) {
        System.out.println("abort: " + e.rawCode() + " " + e.getMessage());
      }
    }
  }

  /** The first call hangs, because the library was told to. */
  private void hang(DeviceAdaptor device, CclAdaptor ccl) throws IOException {
    CclCommunicator communicator = ccl.join(ids(ccl, 1).get(0), rank, size);
    CclBuffers buffers = new CclBuffers(device, Long.BYTES, rank, size);
    buffers.startAllReduce(communicator);
    sleepMs(300);
    System.out.println("stuck: " + !buffers.stream().isIdle());
    if (ccl.capabilities().has(Flag.ABORT)) {
      communicator.abort();
      TestDevices.finish(buffers.stream());
      System.out.println("released");
    }
    System.out.flush();
    Runtime.getRuntime().halt(0); // nothing here can be closed while the call is stuck
  }

  private void slow(CclAdaptor ccl) throws IOException {
    byte[] id = ids(ccl, 1).get(0);
    CompletableFuture<CclCommunicator> joined =
        CompletableFuture.supplyAsync(() -> ccl.join(id, rank, size));
    sleepMs(200);
    System.out.println("soon after: " + (joined.isDone() ? "joined" : "joining"));
    joined.join().close();
    System.out.println("in the end: joined");
  }

  /** One of two, and the other never comes. */
  private void lonely(CclAdaptor ccl) {
    try {
      ccl.join(ccl.newUniqueId(), 0, 2).close();
    } catch (VendorException e) {
      System.out.println("gave up: " + e.getMessage());
    }
  }

  /** Unique ids that rank 0 makes and the others read from a file, the role's own. */
  private List<byte[]> ids(CclAdaptor ccl, int count) throws IOException {
    Path idFile = folder.resolve(role);
    if (rank == 0) {
      byte[] first = ccl.newUniqueId();
      byte[] all = Arrays.copyOf(first, first.length * count);
      for (int i = 1; i < count; i++) {
        System.arraycopy(ccl.newUniqueId(), 0, all, i * first.length, first.length);
      }
      Path part = Files.write(folder.resolve("part"), all);
      Files.move(part, idFile, StandardCopyOption.ATOMIC_MOVE);
    }
    TestDevices.await("the unique id", () -> Files.exists(idFile));
    byte[] all = Files.readAllBytes(idFile);
    int length = all.length / count;
    return java.util.stream.IntStream.range(0, count)
        .mapToObj(i -> Arrays.copyOfRange(all, i * length, (i + 1) * length))
        .toList();
  }

  /** All members have looked: an abort of one would let the calls of the others go. */
  private void meet() throws IOException {
    Files.createFile(folder.resolve("met-" + rank));
    for (int each = 0; each < size; each++) {
      Path met = folder.resolve("met-" + each);
      TestDevices.await("member " + each, () -> Files.exists(met));
    }
  }

  private static void sleepMs(long durationMs) {
    try {
      Thread.sleep(durationMs); // fixed time: that a call does not end shows only then
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
