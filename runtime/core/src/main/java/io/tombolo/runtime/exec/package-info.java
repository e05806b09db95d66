/**
 * From a plan to moved bytes.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.Executor}: it takes {@link
 * io.tombolo.runtime.exec.Operation}s one after the other and runs each one's program. The {@link
 * io.tombolo.runtime.exec.Messenger} does so for messages between single ranks, many at once. All
 * of it is driven by the process's one {@link io.tombolo.runtime.exec.Agent}: by its thread, or by
 * a caller that waits.
 */
package io.tombolo.runtime.exec;
