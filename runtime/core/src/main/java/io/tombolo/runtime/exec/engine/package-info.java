// SPDX-License-Identifier: Apache-2.0
/**
 * What carries out steps: one {@link io.tombolo.runtime.exec.engine.Engine} for each resource.
 *
 * <p>Start there. The vendor engine calls the collective library, the copy engine uses the device,
 * channel engines carry messages, and the arithmetic engine combines elements: on the device, on
 * the agent's thread, or on the {@link io.tombolo.runtime.exec.engine.Reducers}.
 */
package io.tombolo.runtime.exec.engine;
