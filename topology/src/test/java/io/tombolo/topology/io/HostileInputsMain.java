// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import io.tombolo.base.errors.UsageException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads every hostile input in a process whose memory is limited, and says what came of each. */
public final class HostileInputsMain {
  /** The most that a complaint may say. */
  private static final int MAX_LETTERS = 600;

  private HostileInputsMain() {}

  /** One line per input that was not refused in one clear line; then how many there were. */
  public static void main(String[] arguments) {
    List<HostileInput> inputs = HostileInputs.all();
    Set<String> different = new HashSet<>();
    for (HostileInput input : inputs) {
      System.out.println("reading " + input.name());
      different.add(input.reader().name() + input.text());
      String verdict = verdict(input);
      if (!verdict.isEmpty()) {
        System.out.println(
            "NOT REFUSED " + input.reader().name() + " " + input.name() + ": " + verdict);
      }
    }
    System.out.println("DIFFERENT " + different.size());
  }

  private static String verdict(HostileInput input) {
    try {
      input.read();
      return "it was read";
    } catch (UsageException e) {
      String complaint = e.getMessage();
      boolean clear = complaint.lines().count() == 1 && complaint.length() <= MAX_LETTERS;
      return clear ? "" : complaint.length() + " letters: " + complaint.substring(0, 200);
    } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
      return String.valueOf(e);
    }
  }
}
