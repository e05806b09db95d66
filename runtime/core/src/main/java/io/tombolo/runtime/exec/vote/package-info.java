// SPDX-License-Identifier: Apache-2.0
/**
 * How ranks make sure that all of them made the same call.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.vote.CallCheck}: it takes one {@link
 * io.tombolo.runtime.exec.vote.Vote} after the other, over links of a tree or on a board.
 */
package io.tombolo.runtime.exec.vote;
