// SPDX-License-Identifier: Apache-2.0
/**
 * The process-group interface that plug-ins for other frameworks sit on, in the shape of torch's
 * c10d. Start at {@link io.tombolo.runtime.group.ProcessGroup}.
 */
package io.tombolo.runtime.group;
