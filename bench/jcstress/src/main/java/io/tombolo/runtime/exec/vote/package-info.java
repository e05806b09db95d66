// SPDX-License-Identifier: Apache-2.0
/**
 * Stress of the board of votes; start at {@code VoteBoardStress}. Beside the product's package of
 * this name, because what is stressed is package-private.
 */
package io.tombolo.runtime.exec.vote;
