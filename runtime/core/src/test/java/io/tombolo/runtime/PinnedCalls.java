// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.DataType;
import io.tombolo.runtime.plan.Reduction;
import java.time.Duration;

/** Two ranks whose devices copy to and from slots that both have pinned: no processor does. */
final class PinnedCalls {
  /** Of each rank's device: the job has one of each vendor. */
  private static final int ORDINAL = 0;

  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Less than a slot, and several with one that is not full. */
  private static final int[] COUNTS = {1003, 200_003};

  /** So many that an all_reduce goes by pieces: shorter ones use the stage. */
  private static final int SUMMED = 500_005;

  private final Communicator all;
  private final EveryCall calls;

  PinnedCalls(Communicator all) {
    this.all = all;
    this.calls = new EveryCall(all);
  }

  void run() {
    String route = all.routes().get(1 - all.rank());
    if (!route.startsWith("shm (pinned): same host")) { // it goes on where no stream is held
      throw new IllegalStateException("the way is " + route);
    }
    open();
    Traffic before = all.traffic();
    for (int count : COUNTS) {
      calls.carry(count, 0, 1);
    }
    sum(SUMMED, false);
    sum(SUMMED, true);
    carryForeign();
    Traffic after = all.traffic();
    if (after.copiedBytes() > before.copiedBytes() || after.stagedBytes() > 0) {
      throw new IllegalStateException("a processor copied: from " + before + " to " + after);
    }
    if (after.engineBytes() - before.engineBytes() < after.crossBytes() - before.crossBytes()) {
      throw new IllegalStateException("bytes went another way: " + before + " to " + after);
    }
  }

  /** Opens the channels, whose slots the next call pins. */
  void open() {
    calls.carry(1, 0);
  }

  private void sum(int count, boolean inPlace) {
    int bytes = count * Integer.BYTES;
    try (Stream stream = all.device().newStream();
        DeviceArray input = new DeviceArray(all.device(), stream, bytes);
        DeviceArray other = new DeviceArray(all.device(), stream, bytes)) {
      DeviceArray output = inPlace ? input : other;
      for (int i = 0; i < count; i++) {
        input.bytes().putInt(i * Integer.BYTES, i * (all.rank() + 1));
      }
      input.upload();
      all.allReduce(
              input.buffer(DataType.I32, count),
              output.buffer(DataType.I32, count),
              Reduction.sum(),
              stream)
          .await(LIMIT);
      output.download();
      for (int i = 0; i < count; i++) {
        if (output.bytes().getInt(i * Integer.BYTES) != 3 * i) {
          throw new IllegalStateException("sum, in place " + inPlace + ": element " + i);
        }
      }
    }
  }

  /** Elements in memory that somebody else has allocated on the device, as a framework does. */
  private void carryForeign() {
    String vendor = all.context().clustering().site(all.rank()).vendor();
    int bytes = 1 << 20;
    try (DeviceAdaptor other = Vendors.named(vendor).openDevice(ORDINAL);
        Stream stream = all.device().newStream();
        DeviceArray array = new DeviceArray(other, stream, bytes)) {
      if (all.rank() == 0) {
        for (int i = 0; i < bytes; i++) {
          array.bytes().put(i, (byte) (i * 31));
        }
        array.upload();
      }
      DeviceBuffer foreign =
          DeviceBuffer.foreign(all.device(), array.address(), bytes, DataType.U8);
      all.broadcast(foreign, 0, stream).await(LIMIT);
      array.download();
      for (int i = 0; i < bytes; i++) {
        if (array.bytes().get(i) != (byte) (i * 31)) {
          throw new IllegalStateException("foreign memory: byte " + i);
        }
      }
    }
  }
}
