package io.tombolo.runtime.plan;

/** The memories a step can name; offsets are elements of the call's type. */
public enum Space {
  /** The caller's input, on the device; never written, unless it is the output too. */
  INPUT,
  /** The caller's output, on the device. */
  OUTPUT,
  /** The communicator's pinned host arena, which devices and host can both reach. */
  STAGE
}
