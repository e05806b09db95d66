// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static io.tombolo.runtime.Scene.require;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Sums in registered memory and outside of it, on the host: Java may look at all of it. */
final class RegisteredSums {
  /** Of a rank that dies. */
  static final int EXIT_CODE = 77;

  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** On both sides of where the library stops copying; the last in several pieces. */
  private static final int[] COUNTS = {0, 1, 1023, 1025, 17_001, 1_100_003};

  private final Communicator communicator;
  private final Stream stream;

  RegisteredSums(Communicator communicator) {
    this.communicator = communicator;
    this.stream = communicator.device().newStream();
  }

  /** Everyone's buffers, one rank's, and one of the two; queued and not, in place and not. */
  void run() {
    for (int count : COUNTS) {
      int bytes = Math.max(1, count) * Integer.BYTES;
      try (DeviceMemory in = communicator.allocateRegistered(bytes);
          DeviceMemory out = communicator.allocateRegistered(bytes + 8L * communicator.rank());
          DeviceMemory plain = communicator.device().allocate(bytes)) {
        for (CallOptions options : List.of(CallOptions.STANDARD, CallOptions.BLOCKING)) {
          sum(in.address(), out.address(), count, options);
          sum(in.address(), in.address(), count, options);
          sum(plain.address(), out.address(), count, options);
          sum(
              communicator.rank() == 1 ? plain.address() : in.address(),
              out.address(),
              count,
              options);
        }
      }
    }
  }

  /** As many mappings of registered memory as everyone must have, and none that is given back. */
  void checkMappings() {
    require(mappings() == 0, "nothing is registered, not " + mappings());
    long each = 1L + communicator.size();
    DeviceMemory first = communicator.allocateRegistered(5000);
    DeviceMemory second = communicator.allocateRegistered(70_000);
    require(mappings() == 2 * each, "all of two, not " + mappings());
    first.close();
    second.close();
    DeviceMemory third = communicator.allocateRegistered(5000);
    require(mappings() == each, "all of one, not " + mappings());
    Communicator half = communicator.split(communicator.rank() % 2, 0).orElseThrow();
    try (DeviceMemory inHalf = half.allocateRegistered(9000)) {
      new RegisteredSums(half).sum(inHalf.address(), third.address(), 1000, CallOptions.STANDARD);
    }
    half.close();
    require(mappings() == each, "all of one again, not " + mappings());
    third.close();
  }

  /** It outlives the communicator, and even calls that came before it did not end before. */
  void closeLast() {
    DeviceMemory plain = communicator.device().allocate(4096);
    DeviceBuffer vector =
        DeviceBuffer.of(communicator.device(), plain, DataType.I32).slice(0, 1000);
    for (int i = 0; i < 20; i++) {
      communicator.allReduce(vector, Reduction.max(), stream);
    }
    DeviceMemory memory = communicator.allocateRegistered(4096);
    fill(memory.address(), 1000);
    communicator.close();
    check(memory.address(), 1000, communicator.rank());
    communicator.close();
    memory.close();
    memory.close();
    plain.close();
  }

  /** Where it is not to be had, it is device memory as any. */
  void runUnregistered() {
    DeviceMemory memory = communicator.allocateRegistered(5000);
    require(mappings() == 0, "nothing is registered");
    require(
        communicator.device().allocationAt(memory.address(), 5000).isPresent(), "device memory");
    DeviceBuffer vector = DeviceBuffer.of(communicator.device(), memory, DataType.F32);
    communicator.allReduce(vector, Reduction.sum(), stream).await(LIMIT);
    memory.close();
  }

  /** The others are in the library by the time it dies. */
  void die() {
    communicator.barrier(stream).await(LIMIT); // as registering begins
    DeathInTheLibrary.awaitOthers(communicator);
    Runtime.getRuntime().halt(EXIT_CODE);
  }

  /** What the survivors are told. */
  void survive() {
    HeldCall<Boolean> teller = HeldCall.start(this::tellVictim);
    try {
      Object unused = communicator.allocateRegistered(5000);
    } catch (TomboloException e) {
      System.out.println("TOLD " + e.getClass().getSimpleName() + ": " + e.getMessage());
      require(
          e instanceof PeerFailedException && e.getCause() == communicator.failure().orElseThrow(),
          "the cause");
      require(teller.isDone(), "told the victim");
      return;
    }
    throw new IllegalStateException("registered without a member");
  }

  private boolean tellVictim() {
    DeathInTheLibrary.await("registering to begin", () -> DeathInTheLibrary.isAnyIn("register0"));
    DeathInTheLibrary.tellVictim(communicator);
    return true;
  }

  private void sum(long from, long to, int count, CallOptions options) {
    fill(from, count);
    CollectiveCall call = CollectiveCall.allReduce(count, DataType.I32, ReduceOp.SUM, false);
    communicator.call(new PlacedCall(call, from, to), options, stream).await(LIMIT);
    int ranks = communicator.size();
    ByteBuffer found = NativeMemory.viewOf(to, Math.max(1, count) * Integer.BYTES);
    for (int i = 0; i < count; i++) {
      int expected = 0;
      for (int rank = 0; rank < ranks; rank++) {
        expected += element(rank, i);
      }
      int value = found.getInt(i * Integer.BYTES);
      if (value != expected) {
        throw new IllegalStateException(
            "rank %d: element %d of %d is %d, not %d"
                .formatted(communicator.rank(), i, count, value, expected));
      }
    }
    communicator.barrier(stream).await(LIMIT);
  }

  private void fill(long address, int count) {
    ByteBuffer memory = NativeMemory.viewOf(address, Math.max(1, count) * Integer.BYTES);
    for (int i = 0; i < count; i++) {
      memory.putInt(i * Integer.BYTES, element(communicator.rank(), i));
    }
  }

  private static void check(long address, int count, int rank) {
    ByteBuffer memory = NativeMemory.viewOf(address, count * Integer.BYTES);
    for (int i = 0; i < count; i++) {
      require(memory.getInt(i * Integer.BYTES) == element(rank, i), "element " + i);
    }
  }

  private static int element(int rank, int index) {
    return rank * 1_000_003 + index % 9973;
  }

  private static long mappings() {
    try {
      return Files.readAllLines(Path.of("/proc/self/maps")).stream()
          .filter(line -> line.contains("tombolo-window"))
          .count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
