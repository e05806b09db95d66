// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A put of one client's, and what of it has come to this process. A client that shares the volume's
 * memory writes there itself: of that nothing is seen here. For one thread.
 *
 * <p>A {@link CorruptException} says that the client does not keep to the protocol.
 */
final class IncomingPut {
  /** What has come of a tensor, from its beginning on. */
  private static final class Arrival {
    private final Checksum checksum = new Checksum();
    private long sizeBytes;
  }

  private final PendingPut put;
  private final Map<Integer, Arrival> arrivals = new HashMap<>();
  private boolean comesHere;
  private boolean kept;

  IncomingPut(PendingPut put) {
    this.put = put;
  }

  PendingPut pending() {
    return put;
  }

  /** The tensor that {@code pull} goes on with, at the byte that comes next. */
  StoredTensor next(VolumeRequest.Pull pull) {
    requireRoom();
    comesHere = true;
    int index = pull.index();
    if (index < 0 || index >= put.tensors().size()) {
      throw new CorruptException("a put of its has no tensor " + index);
    }
    StoredTensor tensor = put.tensors().get(index);
    Arrival before = arrivals.get(index);
    long come = before == null ? 0 : before.sizeBytes;
    long most = Math.min(WireBounds.PULL_BYTES, tensor.sizeBytes() - come);
    if (pull.offset() != come || pull.sizeBytes() < 1 || pull.sizeBytes() > most) {
      throw new CorruptException(
          "it offers %s bytes from %s on of '%s', of which %s of %s have come; at most %s at once"
              .formatted(
                  pull.sizeBytes(),
                  pull.offset(),
                  tensor.name(),
                  come,
                  tensor.sizeBytes(),
                  WireBounds.PULL_BYTES));
    }
    return tensor;
  }

  /** What {@code pull} stands for is at host address {@code address}. */
  void add(VolumeRequest.Pull pull, long address) {
    Arrival arrival = arrivals.computeIfAbsent(pull.index(), index -> new Arrival());
    arrival.checksum.add(NativeMemory.viewOf(address, (int) pull.sizeBytes()));
    arrival.sizeBytes += pull.sizeBytes();
  }

  /** What has come of tensor {@code index} is not good. */
  void forget(int index) {
    arrivals.remove(index);
  }

  /** All of tensor {@code index} is about to come over the connection; its checksum. */
  Checksum coming(int index) {
    requireRoom();
    comesHere = true;
    Arrival arrival = new Arrival();
    arrival.sizeBytes = put.tensors().get(index).sizeBytes();
    arrivals.put(index, arrival);
    return arrival.checksum;
  }

  /** Whether all of tensor {@code index} has come here; one without bytes comes by being sent. */
  boolean isWhole(int index) {
    Arrival arrival = arrivals.get(index);
    return arrival != null && arrival.sizeBytes == put.tensors().get(index).sizeBytes();
  }

  /** Nothing has come here, and the client has written all; or all has. */
  boolean isComplete() {
    for (int index = 0; comesHere && index < put.tensors().size(); index++) {
      if (!isWhole(index)) {
        return false;
      }
    }
    return !kept;
  }

  /** Whether what has come here has these checksums; one for each tensor. */
  boolean matches(List<Integer> checksums) {
    return arrivals.entrySet().stream()
        .allMatch(each -> each.getValue().checksum.value() == checksums.get(each.getKey()));
  }

  /** A device does not let go of its room: nobody gets that any more, nor is it written to. */
  void keepRoom() {
    kept = true;
  }

  /** Whether its room may be given back. */
  boolean hasRoomToGive() {
    return !kept;
  }

  private void requireRoom() {
    if (kept) {
      throw new CorruptException("it goes on with a put whose room is kept by the volume's device");
    }
  }
}
