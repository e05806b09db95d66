// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

/** Numbers by time, and by turn where times are equal: a binary heap; allocates once. */
final class TimeHeap {
  private final int[] values;
  private final long[] timesNs;
  private final long[] turns;
  private int size;
  private long turn;

  TimeHeap(int capacity) {
    values = new int[capacity];
    timesNs = new long[capacity];
    turns = new long[capacity];
  }

  boolean isEmpty() {
    return size == 0;
  }

  int first() {
    return values[0];
  }

  long firstNs() {
    return timesNs[0];
  }

  void add(int value, long atNs) {
    int at = size++;
    values[at] = value;
    timesNs[at] = atNs;
    turns[at] = turn++;
    while (at > 0 && isBefore(at, (at - 1) / 2)) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }

  void removeFirst() {
    swap(0, --size);
    int at = 0;
    for (int child = earlierChild(at);
        child >= 0 && isBefore(child, at);
        child = earlierChild(at)) {
      swap(child, at);
      at = child;
    }
  }

  private int earlierChild(int at) {
    int left = 2 * at + 1;
    if (left >= size) {
      return -1;
    }
    return left + 1 < size && isBefore(left + 1, left) ? left + 1 : left;
  }

  private boolean isBefore(int a, int b) {
    long apart = timesNs[a] - timesNs[b];
    return apart < 0 || (apart == 0 && turns[a] < turns[b]);
  }

  private void swap(int a, int b) {
    int value = values[a];
    long timeNs = timesNs[a];
    long its = turns[a];
    values[a] = values[b];
    timesNs[a] = timesNs[b];
    turns[a] = turns[b];
    values[b] = value;
    timesNs[b] = timeNs;
    turns[b] = its;
  }
}
