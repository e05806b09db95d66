// SPDX-License-Identifier: Apache-2.0
/**
 * Stress of the ring in shared memory; start at {@code ShmRingStress}. Beside the product's package
 * of this name, because what is stressed is package-private.
 */
package io.tombolo.rdma.shm;
