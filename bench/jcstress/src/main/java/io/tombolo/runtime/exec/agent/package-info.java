// SPDX-License-Identifier: Apache-2.0
/**
 * Stress of the progress lock and the parker; start at {@code ProgressLockStress}. Beside the
 * product's package of this name, because what is stressed is package-private.
 */
package io.tombolo.runtime.exec.agent;
