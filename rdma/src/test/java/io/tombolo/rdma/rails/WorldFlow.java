// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.rails;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Messages one way between two simulated sides, whose memory is used for something else as soon as
 * they are done.
 */
final class WorldFlow {
  private static final int MESSAGES = 30;
  private static final int MAX_BYTES = 40_000;
  private static final int MAX_POSTED = 9;

  /** What memory is filled with once its message is done, on either side. */
  private static final long REUSED = -1;

  private final WorldSide from;
  private final WorldSide to;
  private final SplittableRandom random;
  private final List<WorldMemory> sources = new ArrayList<>();
  private final List<WorldMemory> targets = new ArrayList<>();
  private int sending;
  private int receiving;
  private int sent;
  private int received;
  private int wrong;

  WorldFlow(WorldSide from, WorldSide to, SplittableRandom random) {
    this.from = from;
    this.to = to;
    this.random = random;
    for (int tag = 0; tag < MESSAGES; tag++) {
      int size = random.nextInt(1 + random.nextInt(MAX_BYTES));
      sources.add(new WorldMemory(size).fill(tag));
      targets.add(new WorldMemory(size));
    }
  }

  /** Posts something now and then. */
  void step() {
    if (mayPost(sending, sent, from)) {
      WorldMemory source = sources.get(sending);
      sending += from.postings.send(sending, source, 0, source.sizeBytes()) ? 1 : 0;
    }
    if (mayPost(receiving, received, to)) {
      WorldMemory target = targets.get(receiving);
      receiving += to.postings.receive(receiving, target, 0, target.sizeBytes()) ? 1 : 0;
    }
  }

  private boolean mayPost(int posted, int done, WorldSide side) {
    return posted < MESSAGES
        && posted - done < MAX_POSTED
        && random.nextInt(3) == 0
        && side.failure().isEmpty();
  }

  void onSent(long tag) {
    wrong += tag == sent ? 0 : 1;
    sources.get(sent++).fill(REUSED);
  }

  void onReceived(long tag) {
    wrong += tag == received && targets.get(received).holds(tag) ? 0 : 1;
    targets.get(received++).fill(REUSED);
  }

  boolean isDone() {
    return sent == MESSAGES && received == MESSAGES;
  }

  long bytes() {
    return sources.stream().mapToLong(WorldMemory::sizeBytes).sum();
  }

  /** Messages that came wrong or in the wrong order, or whose memory was written to later. */
  int wrong() {
    long late = targets.stream().limit(received).filter(target -> !target.holds(REUSED)).count();
    return wrong + (int) late;
  }
}
