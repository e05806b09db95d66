// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

/**
 * How many calls of one kind may be under way at once. Where all places are taken, the next call
 * waits for the oldest.
 *
 * @param count so many
 * @param advice what to do where the oldest does not end, for people
 */
public record Places(int count, String advice) {}
