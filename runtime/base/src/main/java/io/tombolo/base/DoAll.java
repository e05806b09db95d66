// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import java.util.List;
import java.util.function.Consumer;

/**
 * Does several things, one after the other: what fails keeps none of the others from being done.
 * When all are, the first failure is thrown, with the later ones {@linkplain
 * Throwable#addSuppressed suppressed} in it.
 */
public final class DoAll {
  private DoAll() {}

  /** Does all {@code actions}. */
  public static void of(Runnable... actions) {
    each(List.of(actions), Runnable::run);
  }

  /** Does {@code action} to each of {@code all}. */
  public static <T> void each(Iterable<T> all, Consumer<? super T> action) {
    RuntimeException first = null;
    for (T one : all) {
      try {
        action.accept(one);
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else if (e != first) { // who has failed may throw the same error again and again
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
