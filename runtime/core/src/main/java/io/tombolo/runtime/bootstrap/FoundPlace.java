// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.environment.StorePlace;
import io.tombolo.runtime.store.SealedStore;
import io.tombolo.runtime.store.Store;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in a store of another program, such as torch, in which ranks of ours meet: that program
 * has chosen where, and the store's keys tell.
 *
 * @param outer what the program puts before each key, without the last slash; empty if nothing
 * @param inner what we put before it, with the last slash: {@link StorePlace}; empty if nothing
 * @param isSealed whether the ranks were given a token, and so seal what they put there
 */
public record FoundPlace(String outer, String inner, boolean isSealed) {
  /** Rank 0's first key, in whichever round of the place. */
  private static final Pattern SIZE =
      Pattern.compile(
          "(?<outer>.*?)(?<inner>(?:communicator-[^/]+/)?(?:generation-[0-9]+/)?)(?:round-[0-9]+/)?"
              + Pattern.quote(Presence.SIZE_KEY));

  /** The places that {@code keys}, all that are in a store, speak of. */
  public static ImmutableList<FoundPlace> among(Collection<String> keys) {
    ImmutableSet<String> all = ImmutableSet.copyOf(keys);
    return all.stream()
        .map(SIZE::matcher)
        .filter(Matcher::matches)
        .filter(found -> isBeforeASlash(found.group("outer")))
        .map(found -> of(found.group("outer"), found.group("inner"), all))
        .distinct()
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean isBeforeASlash(String outer) {
    return outer.isEmpty() || outer.endsWith("/");
  }

  private static FoundPlace of(String before, String inner, ImmutableSet<String> all) {
    boolean isSealed = !all.contains(before + inner + StorePlace.TOKEN_KEY);
    return new FoundPlace(
        before.isEmpty() ? "" : before.substring(0, before.length() - 1), inner, isSealed);
  }

  /** The place in {@code store}, in which the ranks were given {@code token} if it is sealed. */
  public Store in(Store store, JobToken token) {
    Store lent = outer.isEmpty() ? store : store.within(outer);
    Store ours = isSealed ? new SealedStore(lent, token) : lent;
    return inner.isEmpty() ? ours : ours.within(inner.substring(0, inner.length() - 1));
  }

  /** What people call it. */
  public String name() {
    return outer.isEmpty() ? inner : outer + "/" + inner;
  }
}
