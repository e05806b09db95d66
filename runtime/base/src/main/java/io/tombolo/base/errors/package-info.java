// SPDX-License-Identifier: Apache-2.0
/**
 * Everything that can go wrong, as one sealed family; start at {@link
 * io.tombolo.base.errors.TomboloException}.
 *
 * <p>Each kind answers three questions: is the communicator still usable, is the output defined,
 * and what to do next.
 */
package io.tombolo.base.errors;
