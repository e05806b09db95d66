// SPDX-License-Identifier: Apache-2.0
/**
 * Stress of the ring of slices; start at {@code SliceRingStress}. Beside the product's package of
 * this name, because what is stressed is package-private.
 */
package io.tombolo.runtime.exec.engine;
