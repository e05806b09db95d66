// SPDX-License-Identifier: Apache-2.0
/**
 * The memory that operations work in: what is lent to them, and how channels see it.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.memory.Binding}, which maps the ranges of a plan to
 * addresses, and {@link io.tombolo.runtime.exec.memory.TaskMemory}, which is lent to one task after
 * the other. Windows are memory as fabrics read and write it.
 */
package io.tombolo.runtime.exec.memory;
