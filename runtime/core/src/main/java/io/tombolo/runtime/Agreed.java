// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableList;

/**
 * What the ranks of a communicator have agreed on; all that got it got the same.
 *
 * @param flags the bitwise and of what they brought
 * @param ranks whose, rising; the others have ended, or did not come in time
 */
public record Agreed(long flags, ImmutableList<Integer> ranks) {}
