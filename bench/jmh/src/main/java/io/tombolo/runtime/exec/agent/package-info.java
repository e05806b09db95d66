// SPDX-License-Identifier: Apache-2.0
/**
 * Times of the agent's round; start at {@code RoundBench}. Beside the product's package of this
 * name, because what is timed is package-private.
 */
package io.tombolo.runtime.exec.agent;
