// SPDX-License-Identifier: Apache-2.0
/**
 * What is in this host, read from sysfs and procfs, of the running system or of a recorded one.
 * Nothing here needs a vendor's software, special rights or a thread; what cannot be read is left
 * out.
 *
 * <p>Start at {@link io.tombolo.topology.detect.Detection}.
 */
package io.tombolo.topology.detect;
