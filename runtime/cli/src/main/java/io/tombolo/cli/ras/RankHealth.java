// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import java.util.Locale;

/**
 * How one rank is, as JSON has it: the names of its members stay.
 *
 * @param rank who
 * @param vendor its vendor
 * @param device its device, in the vendor's words
 * @param host what people call its host; empty while it joins
 * @param process where its process is; empty while it joins
 * @param condition how it is
 * @param calls how many calls it had made when it last said so
 * @param newCalls how many of them it has made since the first look
 */
record RankHealth(
    int rank,
    String vendor,
    String device,
    String host,
    String process,
    Condition condition,
    long calls,
    long newCalls) {

  /** How a rank is, the worst first. In JSON it has this name in small letters. */
  enum Condition {
    ENDED("its process has ended"),
    STOPPED("its process is stopped by a signal (SIGSTOP, Ctrl-Z)"),
    SILENT("it has said nothing between two looks"),
    JOINING("it is joining"),
    UNWATCHED("it does not say whether it lives"),
    ALIVE("it lives");

    private final String words;

    Condition(String words) {
      this.words = words;
    }

    /** It in a sentence. */
    String words() {
      return words;
    }

    /** Whether something is wrong with the rank. */
    boolean isBad() {
      return compareTo(JOINING) < 0;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** It in a few words, for sentences. */
  String label() {
    return "rank %s (%s, %s, called %s)".formatted(rank, vendor, process, host);
  }
}
