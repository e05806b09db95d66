// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostStream;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.List;
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

  /** Opens a group by {@code open}, which the library's own thread for calls must do. */
  void groupStart(Runnable open);

  /** Launches what came since {@link #groupStart}, by {@code end}. */
  void groupEnd(Runnable end);

  /** Whether a call is running or waiting on this side of the library. */
  boolean isBusy();

  /** The library queues on the stream itself and returns. */
  record Queued() implements Launch {
    @Override
    public void launch(Stream stream, Call call) {
      call.on(stream.nativeHandle());
    }

    @Override
    public void groupStart(Runnable open) {
      open.run();
    }

    @Override
    public void groupEnd(Runnable end) {
      end.run();
    }

    @Override
    public boolean isBusy() {
      return false;
    }
  }

  /**
   * The library blocks until it is done: its calls run on the host stream's own thread, in order. A
   * group's calls are kept until its end, and then run there as one.
   */
  final class Blocking implements Launch {
    private final AtomicInteger running = new AtomicInteger();
    private final List<Runnable> group = new ArrayList<>();
    private int depth;
    private HostStream groupStream;

    @Override
    public void launch(Stream stream, Call call) {
      if (!(stream instanceof HostStream host)) {
        throw new UsageException(
            "a library whose calls block works on host streams only, not on " + stream);
      }
      if (depth == 0) {
        host.enqueue(() -> run(() -> call.on(host.nativeHandle())));
        return;
      }
      if (groupStream != null && groupStream != host) {
        throw new UsageException("the calls of a group are on one stream");
      }
      groupStream = host;
      group.add(() -> call.on(host.nativeHandle()));
    }

    @Override
    public void groupStart(Runnable open) {
      if (depth++ == 0) {
        group.add(open);
      }
    }

    @Override
    public void groupEnd(Runnable end) {
      if (depth == 0) {
        throw new UsageException("no group is open");
      }
      if (--depth > 0) {
        return;
      }
      List<Runnable> calls = new ArrayList<>(group);
      calls.add(end);
      group.clear();
      if (groupStream != null) {
        groupStream.enqueue(() -> run(() -> calls.forEach(Runnable::run)));
        groupStream = null;
      }
    }

    private void run(Runnable calls) {
      running.incrementAndGet();
      try {
        calls.run();
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
