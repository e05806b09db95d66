// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static com.google.common.base.Preconditions.checkPositionIndex;

import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import java.nio.channels.SelectableChannel;
import java.util.OptionalInt;

/**
 * Where a thread that has nothing to do sleeps: until a descriptor can be read, somebody signals,
 * or time is up. One epoll and one eventfd.
 *
 * <p>One thread watches, waits and closes; any thread signals.
 */
public final class NativeWaiter implements AutoCloseable {
  /** What ended a wait. */
  public enum End {
    /** Its time, or nothing: a wait may end early without a reason. */
    TIME,
    /** A signal, and perhaps a descriptor too. */
    SIGNAL,
    /** A descriptor. */
    DESCRIPTOR
  }

  static {
    NativeLibrary.load(NativeWaiter.class, "tombolo_base");
  }

  private static final int SIGNALLED = 1;
  private static final int READABLE = 2;

  /** ENOSYS of Linux and, for all systems without epoll, of this library. */
  private static final int NO_SUCH_THING = 38;

  private final long handle;
  private boolean closed;

  private NativeWaiter(long handle) {
    this.handle = handle;
  }

  /**
   * A waiter for nothing but signals.
   *
   * @throws UnavailableException if this system has no such thing
   * @throws ResourceException if the process has no more descriptors
   */
  public static NativeWaiter open() {
    long handle = open0();
    if (handle == -NO_SUCH_THING) {
      throw new UnavailableException("this system has no epoll; it is in Linux since 2.6");
    }
    return new NativeWaiter(check("open a waiter", handle));
  }

  /**
   * Has the next wait end when one of the first {@code count} of {@code descriptors} can be read or
   * is at its end, also if it is so already. For one wait only. All must be open now; one that is
   * closed later is forgotten by itself.
   */
  public void watch(int[] descriptors, int count) {
    checkPositionIndex(count, descriptors.length);
    check("wait for a descriptor", watch0(handle, descriptors, count));
  }

  /** Waits, up to {@code mostMs}; takes the signals. */
  public End await(int mostMs) {
    int why = (int) check("wait", wait0(handle, mostMs));
    if ((why & SIGNALLED) != 0) {
      return End.SIGNAL;
    }
    return (why & READABLE) != 0 ? End.DESCRIPTOR : End.TIME;
  }

  /** Ends the wait that is on, or the next one; does nothing once closed. */
  public synchronized void signal() {
    if (!closed) {
      check("signal", signal0(handle));
    }
  }

  /**
   * The descriptor of one of Java's own channels; nothing if this JDK does not tell, or the channel
   * is closed.
   */
  public static OptionalInt descriptorOf(SelectableChannel channel) {
    int descriptor = channel.isOpen() ? descriptor0(channel) : -1;
    return descriptor < 0 ? OptionalInt.empty() : OptionalInt.of(descriptor);
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      close0(handle);
    }
  }

  private static long check(String what, long result) {
    if (result == -OpenFiles.EMFILE) {
      throw OpenFiles.noneLeft("cannot " + what);
    }
    if (result < 0) {
      throw new ResourceException("cannot " + what + ": the system says error " + -result);
    }
    return result;
  }

  private static native long open0();

  private static native int watch0(long handle, int[] descriptors, int count);

  private static native int signal0(long handle);

  private static native int wait0(long handle, int timeoutMs);

  private static native void close0(long handle);

  private static native int descriptor0(Object channel);
}
