// SPDX-License-Identifier: Apache-2.0
/**
 * Ranks on one host through one memory segment that both map, and that their devices copy to and
 * from where they can.
 *
 * <p>Start at {@link io.tombolo.rdma.shm.ShmMedium}; {@link io.tombolo.rdma.shm.ShmLink} is the
 * segment.
 */
package io.tombolo.rdma.shm;
