// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/** The operations that are under way, each in the place of its number. Thread-safe. */
final class UnderWay {
  private final AtomicReferenceArray<SubmittedOperation> places;

  /** None; {@code places} can be at once. */
  UnderWay(int places) {
    this.places = new AtomicReferenceArray<>(places);
  }

  /** Who has the place that operation {@code sequence} uses; null if it is free. */
  SubmittedOperation inPlaceOf(long sequence) {
    return places.get(placeOf(sequence));
  }

  private int placeOf(long sequence) {
    return (int) (sequence % places.length());
  }

  void add(SubmittedOperation operation) {
    places.set(placeOf(operation.sequence()), operation);
  }

  void remove(SubmittedOperation operation) {
    places.set(placeOf(operation.sequence()), null);
  }

  /** Does {@code action} with each that is under way when its place is looked at. */
  void forEach(Consumer<SubmittedOperation> action) {
    for (int place = 0; place < places.length(); place++) {
      SubmittedOperation operation = places.get(place);
      if (operation != null) {
        action.accept(operation);
      }
    }
  }
}
