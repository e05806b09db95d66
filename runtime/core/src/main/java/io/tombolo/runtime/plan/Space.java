// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/** The memories a step can name; offsets are elements of the call's type. */
public enum Space {
  /** The caller's input, on the device; never written, unless the output lies in it. */
  INPUT,
  /** The caller's output, on the device. */
  OUTPUT,
  /** The communicator's pinned host arena, which devices and host can both reach. */
  STAGE,
  /** The communicator's own device memory, for what lies otherwise in the caller's buffers. */
  SCRATCH
}
