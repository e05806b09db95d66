// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.runtime.work.CallOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Each rank of one side exchanges vectors with each rank of the other, and looks at what comes. */
final class PairedMessages {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int[] COUNTS = {1, 61, 300_001};

  private final Intercommunicator link;
  private final boolean accepts;

  /** For a side that has accepted, or else connected. */
  PairedMessages(Intercommunicator link, boolean accepts) {
    this.link = link;
    this.accepts = accepts;
  }

  void run() {
    for (int count : COUNTS) {
      run(count);
    }
  }

  private void run(int count) {
    int peers = link.remoteSize();
    List<DeviceArray> arrays = new ArrayList<>();
    try (Stream stream = link.device().newStream()) {
      List<Message> messages = new ArrayList<>();
      for (int peer = 0; peer < peers; peer++) {
        DeviceArray out = array(arrays, stream, count);
        fill(out, accepts, link.rank(), peer);
        messages.add(Message.send(out.buffer(DataType.F32, count), peer));
      }
      for (int peer = 0; peer < peers; peer++) {
        DeviceArray in = array(arrays, stream, count);
        messages.add(Message.receive(in.buffer(DataType.F32, count), peer));
      }
      link.exchange(messages, CallOptions.STANDARD, stream).await(LIMIT);
      for (int peer = 0; peer < peers; peer++) {
        check(arrays.get(peers + peer), !accepts, peer, link.rank());
      }
    } finally {
      arrays.forEach(DeviceArray::close);
    }
  }

  private DeviceArray array(List<DeviceArray> arrays, Stream stream, int count) {
    DeviceArray array = new DeviceArray(link.device(), stream, count * Float.BYTES);
    arrays.add(array);
    return array;
  }

  private static float element(boolean fromAccepting, int from, int to, int index) {
    return (fromAccepting ? 1 : -1) * (1000f * (from + 1) + 100f * (to + 1) + index % 97);
  }

  private static void fill(DeviceArray array, boolean fromAccepting, int from, int to) {
    ByteBuffer bytes = array.bytes();
    for (int i = 0; bytes.hasRemaining(); i++) {
      bytes.putFloat(element(fromAccepting, from, to, i));
    }
    array.upload();
  }

  private static void check(DeviceArray array, boolean fromAccepting, int from, int to) {
    array.download();
    ByteBuffer bytes = array.bytes();
    for (int i = 0; bytes.hasRemaining(); i++) {
      float found = bytes.getFloat();
      float expected = element(fromAccepting, from, to, i);
      if (found != expected) {
        throw new AssertionError(
            "from %s to %s, element %s is %s, not %s".formatted(from, to, i, found, expected));
      }
    }
  }
}
