// SPDX-License-Identifier: Apache-2.0
/**
 * Which rank holds which part of a tensor. Pure.
 *
 * <p>Start at {@link io.tombolo.tensors.layout.TensorLayout}.
 */
package io.tombolo.tensors.layout;
