// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import com.google.common.collect.ImmutableSortedMap;

/**
 * Bytes that one operation takes from this rank over each link, by its plan; all of them have gone
 * once it has ended well.
 *
 * @param intraBytes contributions to the vendor's library
 * @param crossBytes payload to ranks of other clusters, by rank
 */
public record WorkBytes(long intraBytes, ImmutableSortedMap<Integer, Long> crossBytes) {}
