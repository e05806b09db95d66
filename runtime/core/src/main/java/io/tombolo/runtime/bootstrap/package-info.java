// SPDX-License-Identifier: Apache-2.0
/**
 * How the ranks of a job meet over a store: who is there, that all mean the same, and who has
 * failed.
 *
 * <p>Start at {@link io.tombolo.runtime.bootstrap.Rendezvous}.
 */
package io.tombolo.runtime.bootstrap;
