// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

/**
 * What one communicator's collectives have been on this rank so far.
 *
 * @param operations calls handed in, a group of calls counted once
 * @param votes votes taken with the other ranks
 * @param messages payload messages sent to other ranks
 * @param deviceReductions pieces that the device combined, not the host
 * @param mostAtOnce the most operations that were under way at once
 * @param longestCycleNs the longest that one round over all that this process has under way has
 *     taken, whoever made it
 */
public record Activity(
    long operations,
    long votes,
    long messages,
    long deviceReductions,
    int mostAtOnce,
    long longestCycleNs) {}
