// SPDX-License-Identifier: Apache-2.0
/**
 * The competitor: what reliable connections of RDMA hardware do when a packet gets lost. No
 * threads, no clock; for laboratories and tests.
 *
 * <p>Start at {@link io.tombolo.rdma.lab.gobackn.GoBackNSender}.
 */
package io.tombolo.rdma.lab.gobackn;
