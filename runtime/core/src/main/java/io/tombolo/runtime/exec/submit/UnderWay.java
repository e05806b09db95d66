// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/** The operations that are under way, each in the place of its number. Thread-safe. */
final class UnderWay {
  private final AtomicReferenceArray<SubmittedOperation> places =
      new AtomicReferenceArray<>(Doorbell.PAIRS);

  /** Who has the place that operation {@code sequence} uses; null if it is free. */
  SubmittedOperation inPlaceOf(long sequence) {
    return places.get(Doorbell.pair(sequence));
  }

  void add(SubmittedOperation operation) {
    places.set(Doorbell.pair(operation.sequence()), operation);
  }

  void remove(SubmittedOperation operation) {
    places.set(Doorbell.pair(operation.sequence()), null);
  }

  /** Does {@code action} with each that is under way when its place is looked at. */
  void forEach(Consumer<SubmittedOperation> action) {
    for (int pair = 0; pair < Doorbell.PAIRS; pair++) {
      SubmittedOperation operation = places.get(pair);
      if (operation != null) {
        action.accept(operation);
      }
    }
  }
}
