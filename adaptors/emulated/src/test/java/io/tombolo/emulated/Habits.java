// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Answers of a driver to {@code bench/gpu/habits.c}, which explains them.
 *
 * @param answers each by its name
 */
record Habits(ImmutableMap<String, String> answers) {
  /** A fact of a call's consequences, which are alike only where the call's own answers are. */
  private static final Pattern CONSEQUENCE = Pattern.compile("(\\w+\\.\\w+(?:\\.again)?)\\.\\w+");

  private static final String ALONE = "alone";

  /** From the kindest: to whoever relies on them, each is worse than those before. */
  private static final List<Pattern> KINDS =
      List.of(
          Pattern.compile("returns|done|passes|active|64/64"),
          Pattern.compile("waits|queued|query waits|hangs|invalidated|\\d+/64"),
          Pattern.compile("error \\d+|absent|unprepared"),
          Pattern.compile("died|timeout|lingers"));

  /** Of lines with tabs: the name, the answer, and more; {@code #} begins a comment. */
  static Habits parse(List<String> lines) {
    ImmutableMap.Builder<String, String> answers = ImmutableMap.builder();
    for (String line : lines) {
      if (!line.startsWith("#")) {
        String[] columns = line.split("\t", -1);
        answers.put(columns[0], columns[1]);
      }
    }
    return new Habits(answers.buildOrThrow());
  }

  /** Where this driver is no unkinder than {@code device}, nor like it: by name, both answers. */
  Map<String, String> kinderThan(Habits device) {
    Map<String, String> found = new TreeMap<>();
    answers.forEach(
        (name, answer) -> {
          String real = device.answers.get(name);
          if (real != null
              && !answer.equals(real)
              && isComparable(name, device)
              && kindOf(answer) <= kindOf(real)) {
            found.put(name, answer + ", and the device: " + real);
          }
        });
    return found;
  }

  /** What is not there cannot be asked; nor can what is asked beside a call that has returned. */
  private boolean isComparable(String name, Habits device) {
    if (ALONE.equals(answers.get(name)) || ALONE.equals(device.answers.get(name))) {
      return false;
    }
    var consequence = CONSEQUENCE.matcher(name);
    String call = consequence.matches() ? consequence.group(1) : name;
    String answer = answers.get(call);
    return !"absent".equals(answer)
        && (call.equals(name) || answer == null || answer.equals(device.answers.get(call)));
  }

  private static int kindOf(String answer) {
    for (int i = 0; i < KINDS.size(); i++) {
      if (KINDS.get(i).matcher(answer).matches()) {
        return i;
      }
    }
    throw new AssertionError("habits.c has a new answer: " + answer);
  }
}
