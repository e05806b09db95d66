// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** Wakes a thread when an armed completion queue gets an entry. */
final class CompletionEvents implements AutoCloseable {
  private final Handle handle;

  CompletionEvents(Handle handle) {
    this.handle = handle;
  }

  /** The descriptor that becomes readable with an event; it stays this object's. */
  int descriptor() {
    return VerbsNative.eventsDescriptor0(handle.get());
  }

  /** Takes the events that are there; how many. */
  int take() {
    return (int) VerbsErrors.check("take completion events", VerbsNative.takeEvents0(handle.get()));
  }

  /** Waits up to {@code timeoutMs} for an event, without taking it; whether there is one. */
  boolean await(int timeoutMs) {
    return VerbsErrors.check(
            "wait for completion events", VerbsNative.awaitEvent0(handle.get(), timeoutMs))
        > 0;
  }

  long handle() {
    return handle.get();
  }

  @Override
  public void close() {
    handle.close();
  }
}
