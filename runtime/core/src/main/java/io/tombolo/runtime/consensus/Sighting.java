// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.consensus;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * What a rank finds at one acceptor.
 *
 * @param arrivals who has come
 * @param verdict what has been decided, if that is known there
 */
record Sighting(ImmutableList<Arrival> arrivals, Optional<Verdict> verdict) {}
