// SPDX-License-Identifier: Apache-2.0
/**
 * What has to move for a tensor to get from one layout to another. Pure.
 *
 * <p>Start at {@link io.tombolo.tensors.reshard.Resharding}; what brings a whole tensor together in
 * one place is an {@link io.tombolo.tensors.reshard.Assembly}.
 */
package io.tombolo.tensors.reshard;
