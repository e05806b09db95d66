// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.time.Duration;
import java.util.List;

/** Calls from a thread on which a device is current that is not the communicator's. */
final class OtherDevice {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int ORDINAL = 7;
  private static final int COUNT = 50_003;

  private final Communicator all;

  OtherDevice(Communicator all) {
    this.all = all;
  }

  void run() {
    String vendor = all.context().clustering().site(all.rank()).vendor();
    try (DeviceAdaptor other = Vendors.named(vendor).openDevice(ORDINAL)) {
      long unused = other.bindThread();
      for (CallOptions options : List.of(CallOptions.STANDARD, CallOptions.BLOCKING)) {
        sum(options);
        ensureCurrent(other, options.toString());
      }
      all.split(0, all.rank()).orElseThrow().close();
      ensureCurrent(other, "a split");
    }
  }

  private void sum(CallOptions options) {
    int bytes = COUNT * Integer.BYTES;
    CollectiveCall call = CollectiveCall.allReduce(COUNT, DataType.I32, ReduceOp.SUM, true);
    try (Stream stream = all.device().newStream();
        DeviceArray array = new DeviceArray(all.device(), stream, bytes)) {
      array.bytes().putInt(0, all.rank());
      array.upload();
      all.call(new PlacedCall(call, array.address(), array.address()), options, stream)
          .await(LIMIT);
      array.download();
      int size = all.size();
      if (array.bytes().getInt(0) != size * (size - 1) / 2) {
        throw new IllegalStateException("a wrong sum: " + array.bytes().getInt(0));
      }
    }
  }

  private static void ensureCurrent(DeviceAdaptor other, String after) {
    if (other.bindThread() != 0) {
      throw new IllegalStateException("another device is current after " + after);
    }
  }
}
