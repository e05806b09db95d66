// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.runtime.store.Store;
import java.net.URLEncoder;
import java.util.Optional;

/**
 * The part of a store in which the ranks of one communicator meet: no other communicator, and no
 * generation of processes before them, has keys there.
 *
 * @param group the communicator's name; empty for the one that needs none
 * @param generation how often its ranks have been started before
 */
public record StorePlace(String group, int generation) {
  /** Where ranks that nobody gave a token put the one that they share. */
  public static final String TOKEN_KEY = "token";

  /** What the settings {@code group} and {@code generation} say. */
  public static StorePlace of(JobEnvironment environment) {
    return new StorePlace(
        environment.settings().getOrDefault(JobEnvironment.GROUP, ""),
        environment.number(JobEnvironment.GENERATION, 0));
  }

  /** That of the same communicator when its ranks had been started once less; none before 0. */
  public Optional<StorePlace> before() {
    return generation > 0 ? Optional.of(new StorePlace(group, generation - 1)) : Optional.empty();
  }

  /** This place in {@code store}; closing it closes {@code store}. */
  public Store in(Store store) {
    Store named =
        group.isEmpty()
            ? store
            : store.narrowedTo("communicator-" + URLEncoder.encode(group, UTF_8));
    return generation == 0 ? named : named.narrowedTo("generation-" + generation);
  }
}
