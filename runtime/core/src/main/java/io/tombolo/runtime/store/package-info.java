// SPDX-License-Identifier: Apache-2.0
/**
 * The key-value store through which the processes of a job find each other.
 *
 * <p>Start at {@link io.tombolo.runtime.store.Store}. {@link
 * io.tombolo.runtime.store.TcpStoreServer} hosts one, {@link io.tombolo.runtime.store.TcpStore}
 * reaches one; both speak the protocol of torch's TCPStore, behind a handshake that proves the job
 * token.
 */
package io.tombolo.runtime.store;
