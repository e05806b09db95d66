// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.lab.gobackn;

/** The receiving side: takes chunks in order only, and complains once per gap. */
public final class GoBackNReceiver {
  /** Tells the sender. */
  public interface Answers {
    /** Everything below {@code upTo} is here; {@code complaint} if something after it came. */
    void answer(long upTo, boolean complaint);
  }

  private final Answers answers;
  private long expected;
  private boolean complained;

  /** A receiver that expects chunk 0. */
  public GoBackNReceiver(Answers answers) {
    this.answers = answers;
  }

  /** Chunk {@code psn} has come. */
  public void onChunk(long psn) {
    if (psn == expected) {
      expected++;
      complained = false;
      answers.answer(expected, false);
    } else if (psn > expected && !complained) {
      complained = true;
      answers.answer(expected, true);
    } else if (psn < expected) {
      answers.answer(expected, false); // the sender went back too far: it does not know
    }
  }

  /** Chunks taken so far. */
  public long takenChunks() {
    return expected;
  }
}
