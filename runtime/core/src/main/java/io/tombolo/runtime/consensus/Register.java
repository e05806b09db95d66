// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import io.tombolo.base.errors.CorruptException;
import java.util.List;
import java.util.Optional;

/**
 * What one acceptor has promised and accepted. Pure.
 *
 * @param promised no attempt below this one is listened to any more
 * @param accepted the attempt whose verdict was accepted last; {@link Ballot#NONE} if none was
 * @param verdict that verdict
 */
record Register(Ballot promised, Ballot accepted, Optional<Verdict> verdict) {
  /** Of an acceptor that nobody has asked yet. */
  static final Register BLANK = new Register(Ballot.NONE, Ballot.NONE, Optional.empty());

  private static final Splitter WORDS = Splitter.on(' ').limit(3);

  /** After {@code ballot} asks for a promise: given, unless a greater one has it. */
  Register prepared(Ballot ballot) {
    return ballot.compareTo(promised) > 0 ? new Register(ballot, accepted, verdict) : this;
  }

  /**
   * After {@code ballot} asks to accept {@code wanted}: done, unless a greater one has promises.
   */
  Register accepted(Ballot ballot, Verdict wanted) {
    return ballot.compareTo(promised) >= 0
        ? new Register(ballot, ballot, Optional.of(wanted))
        : this;
  }

  /** It as it stands in the store; nothing for {@link #BLANK}. */
  byte[] encode() {
    String text =
        equals(BLANK)
            ? ""
            : promised.text() + " " + accepted.text() + " " + verdict.map(Verdict::text).orElse("");
    return text.getBytes(UTF_8);
  }

  static Register decode(byte[] bytes) {
    if (bytes.length == 0) {
      return BLANK;
    }
    String text = new String(bytes, UTF_8);
    List<String> words = WORDS.splitToList(text);
    if (words.size() != 3) {
      throw new CorruptException("'" + text + "' stands in an acceptor where its promise should");
    }
    Optional<Verdict> verdict =
        words.get(2).isEmpty() ? Optional.empty() : Optional.of(Verdict.parse(words.get(2)));
    return new Register(Ballot.parse(words.get(0)), Ballot.parse(words.get(1)), verdict);
  }
}
