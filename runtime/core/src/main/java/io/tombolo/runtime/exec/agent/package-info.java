// SPDX-License-Identifier: Apache-2.0
/**
 * Who makes progress: one thread at a time takes all duties of the process forward, round by round.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.agent.Agent}. Its own thread makes the rounds, or a
 * caller that waits and has taken the {@link io.tombolo.runtime.exec.agent.ProgressLock}. What
 * moves bytes is a {@link io.tombolo.runtime.exec.agent.Duty}; this package knows of no operation.
 */
package io.tombolo.runtime.exec.agent;
