// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import io.tombolo.runtime.plan.Resource;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Which step of an operation's plan is the first that has not ended: it holds up what comes later,
 * though steps beside it may be further.
 *
 * <p>In a record it is one word, from the lowest bit: the step's number, how many steps there are,
 * the peer, 20 bits each, and in the last 4 what the step occupies: 0 if all steps have ended. A
 * word of 0 says that no step is known.
 *
 * @param number as {@code tombolo plan} shows it, from 0; as {@code of} if all have ended
 * @param of how many steps the plan has
 * @param at what the step occupies; nothing if all have ended
 */
public record FlightStep(int number, int of, Optional<Resource> at) {
  private static final int BITS = 20;
  private static final int MOST = (1 << BITS) - 1;
  private static final int OF_AT = BITS;
  private static final int PEER_AT = 2 * BITS;
  private static final int KIND_AT = 3 * BITS;
  private static final int NOBODY = -1;

  /** The word for step {@code number} of {@code of}, which occupies {@code at}. */
  public static long word(int number, int of, Resource at) {
    return (long) at.kind().code() << KIND_AT
        | (at.peer() == NOBODY ? 0 : (long) at.peer() << PEER_AT)
        | (long) Math.min(of, MOST) << OF_AT
        | Math.min(number, MOST);
  }

  /** The word for a plan all of whose {@code of} steps have ended. */
  public static long allEnded(int of) {
    long most = Math.min(of, MOST);
    return most << OF_AT | most;
  }

  /** What {@code word} says; empty if it names no step. */
  static Optional<FlightStep> decode(long word) {
    return word == 0
        ? Optional.empty()
        : Optional.of(
            new FlightStep(
                field(word, 0), field(word, OF_AT), kind(word).map(kind -> resource(kind, word))));
  }

  /** Whether a writer of this version writes such a word. */
  static boolean isSound(long word) {
    int number = field(word, 0);
    int of = field(word, OF_AT);
    boolean ended = word >>> PEER_AT == 0 && number == of;
    return ended || (kind(word).isPresent() && number <= of && of > 0);
  }

  private static Optional<Resource.Kind> kind(long word) {
    return Arrays.stream(Resource.Kind.values())
        .filter(each -> each.code() == word >>> KIND_AT)
        .findFirst();
  }

  private static Resource resource(Resource.Kind kind, long word) {
    return new Resource(kind, kind.isChannel() ? field(word, PEER_AT) : NOBODY);
  }

  private static int field(long word, int from) {
    return (int) (word >>> from) & MOST;
  }

  /** What the step does, a lower-case word for JSON; nothing if all have ended. */
  public Optional<String> doing() {
    return at.map(its -> its.kind().name().toLowerCase(Locale.ROOT));
  }

  /** As people read it: {@code at step 3 of 11: receive from rank 2}. */
  @Override
  public String toString() {
    return at.map(its -> "at step " + number + " of " + of + ": " + text(its))
        .orElse("all " + of + " steps ended");
  }

  private static String text(Resource at) {
    return switch (at.kind()) {
      case VENDOR -> "the vendor's library";
      case FLAT -> "the library of all ranks";
      case COPY -> "copy";
      case HOST -> "arithmetic";
      case SEND -> "send to rank " + at.peer();
      case RECEIVE -> "receive from rank " + at.peer();
    };
  }
}
