// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

/** Steps under way that end in the order they were started, and who is told of each; bounded. */
final class StepQueue {
  private final int[] stepIds;
  private final Engine.Ended[] listeners;
  private long started;
  private long ended;

  /** A queue of at most {@code depth} steps. */
  StepQueue(int depth) {
    stepIds = new int[depth];
    listeners = new Engine.Ended[depth];
  }

  boolean hasRoom() {
    return started - ended < stepIds.length;
  }

  boolean isEmpty() {
    return started == ended;
  }

  /** Appends {@code stepId}, whose end {@code listener} will be told of; returns its place. */
  int add(int stepId, Engine.Ended listener) {
    int place = (int) (started++ % stepIds.length);
    stepIds[place] = stepId;
    listeners[place] = listener;
    return place;
  }

  /** The place of the first step that has not ended. */
  int first() {
    return (int) (ended % stepIds.length);
  }

  /** The first step has ended: tells its listener. */
  void endFirst() {
    int place = first();
    ended++;
    listeners[place].ended(stepIds[place]);
  }
}
