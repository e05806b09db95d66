// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.job;

import com.google.common.base.CharMatcher;
import com.google.common.collect.Comparators;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.runtime.bootstrap.FoundPlace;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A store that torch hosts. Each of its process groups is a communicator of its own, in a place
 * that torch chose.
 */
final class TorchStore {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /** Groups made within the default one are deeper; later attempts have higher numbers. */
  private static final Comparator<FoundPlace> DEFAULT_LAST =
      Comparator.comparingInt((FoundPlace place) -> -CharMatcher.is('/').countIn(place.outer()))
          .thenComparing(
              place -> numbers(place.name()),
              Comparators.lexicographical(Comparator.<Long>naturalOrder()));

  private final TcpStore store;

  TorchStore(TcpStore store) {
    this.store = store;
  }

  /**
   * The default group of those that are there: of the last run, if the ranks were restarted.
   *
   * @param token the ranks', if they were given one: then only what carries its seal is believed
   */
  RunningJob read(Optional<JobToken> token) {
    FoundPlace place =
        FoundPlace.among(store.keys()).stream()
            .filter(each -> each.isSealed() || token.isEmpty())
            .max(DEFAULT_LAST)
            .orElseThrow(this::none);
    JobToken known = place.isSealed() ? token.orElseThrow(JobPlace::noToken) : JobToken.random();
    try (Store job = place.in(store.borrowed(), known)) {
      return RunningJob.read(job);
    }
  }

  private static List<Long> numbers(String name) {
    return NUMBER.matcher(name).results().map(found -> Long.valueOf(found.group())).toList();
  }

  private UnavailableException none() {
    return new UnavailableException(
        store.where()
            + " has no job in it: no group of the backend tombolo has been made yet, or all have been"
            + " destroyed, or TOMBOLO_TOKEN is set here and not for the ranks");
  }
}
