// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.runtime.work.Work;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Tells C when works have ended, one after the other on one thread. */
final class EndCallbacks {
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread made = new Thread(task, "tombolo-callbacks");
            made.setDaemon(true);
            return made;
          });

  /** Calls the function at {@code function} with {@code context} once {@code work} has ended. */
  void add(Work work, long function, long context) {
    work.completion()
        .whenCompleteAsync((done, error) -> call(error, function, context), thread)
        .exceptionally(reported -> null);
  }

  private static void call(Throwable error, long function, long context) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    call0(function, context, cause == null ? new byte[] {0} : StatusCodes.encoded(cause));
  }

  private static native void call0(long function, long context, byte[] end);
}
