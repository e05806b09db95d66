// SPDX-License-Identifier: Apache-2.0
/**
 * What fabrics over IP have in common. Start at {@link io.tombolo.rdma.ip.ListenAddress}: where a
 * process listens.
 */
package io.tombolo.rdma.ip;
