// SPDX-License-Identifier: Apache-2.0
/**
 * An emulated HCA: a C library with libibverbs' entry points over Unix sockets, opened exactly as
 * libibverbs is.
 *
 * <p>Start at {@link io.tombolo.emulated.hca.EmulatedHca}; what it emulates, and how it is told to
 * fail, is in {@code settings.c}. Its devices are never called by the vendors' bare names: {@code
 * emu-mlx5_0}, not {@code mlx5_0}.
 */
package io.tombolo.emulated.hca;
