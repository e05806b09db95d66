/**
 * Messages between single ranks, beside the collectives.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.message.Messenger}.
 */
package io.tombolo.runtime.exec.message;
