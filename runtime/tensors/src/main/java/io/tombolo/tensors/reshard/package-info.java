// SPDX-License-Identifier: Apache-2.0
/**
 * What has to move for a tensor to get from one layout to another. Pure.
 *
 * <p>Start at {@link io.tombolo.tensors.reshard.Resharding}; what brings a whole tensor together in
 * one place is a {@link io.tombolo.tensors.reshard.Gathering}.
 */
package io.tombolo.tensors.reshard;
