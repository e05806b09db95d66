// SPDX-License-Identifier: Apache-2.0

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.DataType;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.launch.JoinedJob;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.util.Arrays;

/** What a call costs from Java, as cost.c does it from C. */
class JavaCost {
  private static final int WARM_UP = 30_000;
  private static final int BATCHES = 41;
  private static final int CALLS = 2_000;

  public static void main(String[] arguments) {
    try (JoinedJob job = JoinedJob.join(System.getenv());
        Communicator communicator = Communicator.join(job.environment());
        DeviceMemory memory = communicator.device().allocate(8)) {
      DeviceBuffer buffer = DeviceBuffer.of(communicator.device(), memory, DataType.F64);
      Stream stream = HostStream.ofCaller();
      CallOptions queued = CallOptions.STANDARD.withoutStreamWait();
      CallOptions blocking = queued.withBlocking();
      time(
          communicator,
          "blocking",
          () -> communicator.call(call(communicator, buffer), blocking, stream),
          WARM_UP,
          CALLS);
      time(
          communicator,
          "queued",
          () -> communicator.call(call(communicator, buffer), queued, stream).await(),
          WARM_UP / 10,
          CALLS / 10);
    }
  }

  private static PlacedCall call(Communicator communicator, DeviceBuffer buffer) {
    return communicator.calls().allReduce(buffer, buffer, Reduction.max());
  }

  private static void time(
      Communicator communicator, String what, Runnable call, int warmUp, int calls) {
    double[] batches = new double[BATCHES];
    for (int i = 0; i < warmUp; i++) {
      call.run();
    }
    for (int batch = 0; batch < BATCHES; batch++) {
      long from = System.nanoTime();
      for (int i = 0; i < calls; i++) {
        call.run();
      }
      batches[batch] = (double) (System.nanoTime() - from) / calls;
    }
    Arrays.sort(batches);
    if (communicator.rank() == 0) {
      System.out.printf(
          "Java  %-10s %9.0f ns, best %9.0f%n", what, batches[BATCHES / 2], batches[0]);
    }
  }
}
