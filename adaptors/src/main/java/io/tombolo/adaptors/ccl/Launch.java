package io.tombolo.adaptors.ccl;

import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.errors.UsageException;
import java.util.concurrent.atomic.AtomicInteger;

/** How calls of a library get onto a stream. */
sealed interface Launch {

  /** A library call that is given the stream's native handle. */
  @FunctionalInterface
  interface Call {
    /** Makes the call; throws what it reports. */
    void on(long nativeStream);
  }

  /** Puts {@code call} onto {@code stream}. */
  void launch(Stream stream, Call call);

  /** Whether a call is running or waiting on this side of the library. */
  boolean isBusy();

  /** The library queues on the stream itself and returns. */
  record Queued() implements Launch {
    @Override
    public void launch(Stream stream, Call call) {
      call.on(stream.nativeHandle());
    }

    @Override
    public boolean isBusy() {
      return false;
    }
  }

  /**
   * The library blocks until it is done: its calls run on the host stream's own thread, in order.
   */
  record Blocking(AtomicInteger running) implements Launch {
    Blocking() {
      this(new AtomicInteger());
    }

    @Override
    public void launch(Stream stream, Call call) {
      if (!(stream instanceof HostStream host)) {
        throw new UsageException(
            "a library whose calls block works on host streams only, not on " + stream);
      }
      host.enqueue(() -> run(call, host.nativeHandle()));
    }

    private void run(Call call, long nativeStream) {
      running.incrementAndGet();
      try {
        call.on(nativeStream);
      } finally {
        running.decrementAndGet();
      }
    }

    @Override
    public boolean isBusy() {
      return running.get() > 0;
    }
  }
}
