// SPDX-License-Identifier: Apache-2.0
/**
 * Times of the cache of plans; start at {@code PlanCacheBench}. Beside the product's package of
 * this name, because what is timed is package-private.
 */
package io.tombolo.runtime;
