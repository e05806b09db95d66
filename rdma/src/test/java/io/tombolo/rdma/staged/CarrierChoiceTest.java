// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.rdma.staged.CarrierChoice.State;
import io.tombolo.rdma.staged.CarrierChoice.Word;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.testng.annotations.Test;

/**
 * All courses that an opening can take: each end opens or fails, once, both, in either order, or
 * not at all; words come whenever they do, in order.
 */
public final class CarrierChoiceTest {
  /** What may happen; of two ends the first one decides. */
  private enum Event {
    READY_0,
    READY_1,
    FAILURE_0,
    FAILURE_1,
    WORD_TO_0,
    WORD_TO_1
  }

  /** Two ends, and the words that are on their way. */
  private static final class Course {
    final CarrierChoice[] ends = {new CarrierChoice(true), new CarrierChoice(false)};
    final List<Queue<Word>> comingTo = List.of(new ArrayDeque<>(), new ArrayDeque<>());
    final List<Event> events;
    final Set<Event> past = EnumSet.noneOf(Event.class);
    final boolean[] failedFirst = new boolean[2];

    Course(List<Event> events) {
      this.events = events;
      events.forEach(this::apply);
    }

    private void apply(Event event) {
      switch (event) {
        case READY_0 -> say(0, ends[0].onReady());
        case READY_1 -> say(1, ends[1].onReady());
        case FAILURE_0 -> fail(0, Event.READY_0);
        case FAILURE_1 -> fail(1, Event.READY_1);
        case WORD_TO_0 -> say(0, ends[0].onWord(comingTo.get(0).remove()));
        case WORD_TO_1 -> say(1, ends[1].onWord(comingTo.get(1).remove()));
      }
      past.add(event);
      check();
    }

    private void fail(int end, Event ready) {
      failedFirst[end] = !past.contains(ready);
      say(end, ends[end].onFailure());
    }

    private void say(int end, Optional<Word> word) {
      word.ifPresent(comingTo.get(1 - end)::add);
    }

    State state(int end) {
      return ends[end].state();
    }

    private void check() {
      for (int end = 0; end < 2; end++) {
        boolean otherLeaves = state(1 - end) == State.LEAVING || state(1 - end) == State.LEFT;
        boolean anyFailedFirst = failedFirst[0] || failedFirst[1];
        assertFalse(state(end) == State.OPEN && (otherLeaves || anyFailedFirst), toString());
        if (state(end) == State.LEFT) {
          assertTrue(comingTo.get(end).isEmpty(), "words after the last one: " + this);
        }
      }
    }

    boolean isPossible(Event event) {
      return switch (event) {
        case WORD_TO_0 -> !comingTo.get(0).isEmpty();
        case WORD_TO_1 -> !comingTo.get(1).isEmpty();
        case READY_0, READY_1, FAILURE_0, FAILURE_1 -> !past.contains(event);
      };
    }

    /** Whether nothing more comes by itself, and each end knows what has become of its own. */
    boolean isSettled() {
      return comingTo.get(0).isEmpty()
          && comingTo.get(1).isEmpty()
          && (past.contains(Event.READY_0) || past.contains(Event.FAILURE_0))
          && (past.contains(Event.READY_1) || past.contains(Event.FAILURE_1));
    }

    @Override
    public String toString() {
      return events + ": " + state(0) + " and " + state(1) + ", coming " + comingTo;
    }
  }

  @Test
  public void shouldEndAlikeAtBothEndsInEveryCourse() {
    Map<State, Integer> ends = new EnumMap<>(State.class);
    explore(List.of(), ends);
    assertEquals(ends.keySet(), EnumSet.of(State.OPEN, State.LEFT), ends.toString());
  }

  private static void explore(List<Event> events, Map<State, Integer> ends) {
    Course course = new Course(events);
    if (course.isSettled()) {
      assertEquals(course.state(0), course.state(1), course.toString());
      ends.merge(course.state(0), 1, Integer::sum);
    }
    for (Event event : Event.values()) {
      if (course.isPossible(event)) {
        List<Event> longer = new ArrayList<>(events);
        longer.add(event);
        explore(longer, ends);
      }
    }
  }

  /** Else both would leave whatever they could have. */
  @Test
  public void shouldBeOpenWhenBothEndsAreAndNeitherFails() {
    for (List<Event> order :
        List.of(
            List.of(Event.READY_0, Event.READY_1, Event.WORD_TO_0, Event.WORD_TO_1),
            List.of(Event.READY_1, Event.READY_0, Event.WORD_TO_0, Event.WORD_TO_1),
            List.of(Event.READY_1, Event.WORD_TO_0, Event.READY_0, Event.WORD_TO_1))) {
      Course course = new Course(order);
      assertEquals(course.state(0), State.OPEN, course.toString());
      assertEquals(course.state(1), State.OPEN, course.toString());
    }
  }

  /** What no honest end says: it would split the two. */
  @Test
  public void shouldRefuseWordsThatAreOutOfTurn() {
    assertThrows(CorruptException.class, () -> new CarrierChoice(false).onWord(Word.OPEN));
    assertThrows(CorruptException.class, () -> new CarrierChoice(false).onWord(Word.PROMISE));
    assertThrows(CorruptException.class, () -> new CarrierChoice(true).onWord(Word.OPEN));
    CarrierChoice promised = new CarrierChoice(true);
    assertEquals(promised.onWord(Word.PROMISE), Optional.empty());
    assertThrows(CorruptException.class, () -> promised.onWord(Word.PROMISE));
    assertThrows(CorruptException.class, () -> promised.onWord(Word.LEAVE));
    CarrierChoice left = new CarrierChoice(false);
    assertEquals(left.onWord(Word.LEAVE), Optional.of(Word.LEAVE));
    assertThrows(CorruptException.class, () -> left.onWord(Word.LEAVE));
  }
}
