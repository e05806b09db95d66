// SPDX-License-Identifier: Apache-2.0
/**
 * Ranks on one host through one memory segment that both devices' DMA engines reach.
 *
 * <p>Start at {@link io.tombolo.rdma.shm.ShmMedium}; {@link io.tombolo.rdma.shm.ShmLink} is the
 * segment.
 */
package io.tombolo.rdma.shm;
