// SPDX-License-Identifier: Apache-2.0
/**
 * A fabric that nobody knows but its provider, and the tables of fabrics. Start at {@link
 * io.tombolo.cli.fabric.CarrierPigeons}.
 */
package io.tombolo.cli.fabric;
