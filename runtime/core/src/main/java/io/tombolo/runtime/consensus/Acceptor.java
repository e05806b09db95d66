// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * What stands of one agreement in one acceptor's store, as one rank reads and writes it. Not
 * thread-safe.
 */
final class Acceptor {
  private static final String COUNT = "arrivals";
  private static final String ARRIVAL = "arrival/";
  private static final String REGISTER = "register";
  private static final String VERDICT = "verdict";
  private static final byte[] NOTHING = {};

  private final Store place;
  private final Optional<Store> previous;
  private final List<Arrival> arrivals = new ArrayList<>();
  private final Set<Integer> unread = new TreeSet<>();
  private int counted;
  private boolean hasCome;

  /**
   * Of the agreement whose place in the acceptor is {@code place}; that of the one before, of the
   * same ranks, is {@code previous}.
   */
  Acceptor(Store place, Optional<Store> previous) {
    this.place = place;
    this.previous = previous;
  }

  /** Says that {@code mine} has come, unless that stands there already, and looks who has. */
  Sighting look(Arrival mine) {
    if (!hasCome) {
      place.set(ARRIVAL + (place.add(COUNT, 1) - 1), mine.text().getBytes(UTF_8));
      hasCome = true;
    }
    readArrivals();
    Optional<Verdict> verdict =
        place.get(VERDICT).map(bytes -> Verdict.parse(new String(bytes, UTF_8)));
    return new Sighting(ImmutableList.copyOf(arrivals), verdict);
  }

  /** Who has drawn a number may write later, or die before it does. */
  private void readArrivals() {
    int count = place.get(COUNT).map(Acceptor::number).orElse(0);
    while (counted < count) {
      unread.add(counted++);
    }
    unread.removeIf(
        index -> {
          Optional<byte[]> written = place.get(ARRIVAL + index);
          written.ifPresent(bytes -> arrivals.add(Arrival.parse(new String(bytes, UTF_8))));
          return written.isPresent();
        });
  }

  /** {@link Register#prepared}. */
  Register prepare(Ballot ballot) {
    return change(register -> register.prepared(ballot));
  }

  /** {@link Register#accepted(Ballot, Verdict)}. */
  Register accept(Ballot ballot, Verdict verdict) {
    return change(register -> register.accepted(ballot, verdict));
  }

  private Register change(UnaryOperator<Register> transition) {
    byte[] before = place.get(REGISTER).orElse(NOTHING);
    while (true) {
      Register after = transition.apply(Register.decode(before));
      byte[] wanted = after.encode();
      byte[] now = place.compareSet(REGISTER, before, wanted);
      if (Arrays.equals(now, wanted)) {
        return after;
      }
      before = now;
    }
  }

  /** Notes what has been decided. All whom it concerns know how the one before ended. */
  void spread(Verdict verdict) {
    place.set(VERDICT, verdict.text().getBytes(UTF_8));
    previous.ifPresent(Acceptor::forget);
  }

  private static void forget(Store place) {
    int count = place.get(COUNT).map(Acceptor::number).orElse(0);
    for (int index = 0; index < count; index++) {
      place.delete(ARRIVAL + index);
    }
    place.delete(COUNT);
    place.delete(REGISTER);
    place.delete(VERDICT);
  }

  private static int number(byte[] bytes) {
    Integer number = Ints.tryParse(new String(bytes, UTF_8));
    if (number == null || number < 0) {
      throw new CorruptException("an acceptor does not count its arrivals");
    }
    return number;
  }
}
