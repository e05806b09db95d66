// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

import com.google.common.collect.ImmutableList;

/**
 * A version that several write together and that nobody can see yet, in a listing.
 *
 * @param stateDict whose version it will be
 * @param round what its writers call it
 * @param writers how many there are
 * @param writing whether all of them have come, and write
 * @param missing those who have not come, or, once all have, those who have not finished
 * @param ageMs how long ago the first of them came
 */
public record JointListing(
    String stateDict,
    String round,
    int writers,
    boolean writing,
    ImmutableList<Integer> missing,
    long ageMs) {}
