// SPDX-License-Identifier: Apache-2.0
/**
 * Stress tests of the lock-free pieces, run by {@code bench/jcstress/run}. Each lives in the
 * package of the piece that it tests, as they are package-private: the agent's progress lock and
 * parker, the ring of slices, the board of votes, and the ring in shared memory. Start at {@code
 * ProgressLockStress}.
 */
package io.tombolo.bench.jcstress;
