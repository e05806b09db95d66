// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

/** Where finished requests are reported. Used by one thread. */
final class CompletionQueue implements AutoCloseable {
  private final Handle handle;

  CompletionQueue(Handle handle) {
    this.handle = handle;
  }

  /** Moves what is there to {@code into}, as much as fits; how many. */
  int poll(WorkCompletions into) {
    int found = VerbsNative.poll0(handle.get(), into.address(), into.capacity());
    into.holds(found < 0 ? 0 : found);
    return (int) VerbsErrors.check("poll a completion queue", found);
  }

  /** Asks for an event with the next completion; completions that are there already raise none. */
  void arm() {
    VerbsErrors.check("arm a completion queue", VerbsNative.arm0(handle.get()));
  }

  /** What the library calls {@code status}. */
  String statusText(int status) {
    return VerbsNative.statusText0(handle.get(), status);
  }

  long handle() {
    return handle.get();
  }

  @Override
  public void close() {
    handle.close();
  }
}
