// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between single ranks, beside the collectives.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.message.Messenger}.
 */
package io.tombolo.runtime.exec.message;
