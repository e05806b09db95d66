// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

/**
 * Reads of other processes' memory in which their processors have no part. Who holds memory exposes
 * it, and has a {@link Holder} for each reader; a reader has a {@link Reader} for each holder. What
 * the two have to tell each other travels by a connection of the callers', on which both have
 * proved that they may: whoever has an end can read all that is exposed.
 *
 * <pre>
 * reader: card() ───────▶ holder: connect(that)
 *         connect(that) ◀──────── what it returned
 *         read(…)       ◀──────── key() of what is exposed
 * </pre>
 *
 * <p>{@code rdma} implements it; who moves bytes so knows nothing of devices. Thread-safe, but for
 * the ends. Errors are {@link io.tombolo.base.errors.TomboloException}s, and say that the bytes
 * have to come another way. Whoever opens it closes it, after all that was made of it.
 */
public interface OneSidedReads extends AutoCloseable {
  /**
   * Lets peers read all of {@code block}, until it is closed; the owner does that before it writes
   * there or frees it.
   *
   * @param what names it in errors
   * @throws io.tombolo.base.errors.UnavailableException if no device can be used here
   * @throws io.tombolo.base.errors.UnsupportedException if the device cannot reach it
   * @throws io.tombolo.base.errors.ResourceException if too much is exposed
   */
  Exposed expose(String what, MemoryBlock block);

  /** An end for one more reader; errors as of {@link #expose}. */
  Holder holder();

  /**
   * An end for reads from one more holder; errors as of {@link #expose}.
   *
   * @param holder names it in errors
   */
  Reader reader(String holder);

  /** Whether the user has named the device, or its kind: then it is told where there is none. */
  boolean isAskedFor();

  @Override
  void close();

  /** Memory that a device has, until it is closed. */
  interface Registered extends AutoCloseable {
    /**
     * The device lets go of it. Harmless once it has returned.
     *
     * @throws io.tombolo.base.errors.FabricException if it does not: the memory must not be freed
     *     before another call has returned
     */
    @Override
    void close();
  }

  /** Memory that peers may read. Thread-safe. */
  interface Exposed extends Registered {
    /** What opens it for all who have an end here: at most some dozen bytes. */
    byte[] key();

    /**
     * Withdraws it at once, and waits for no reader: one that has not all its bytes yet fails. Once
     * this has returned the memory may be written, and freed. Harmless once it has returned.
     *
     * @throws io.tombolo.base.errors.FabricException if the device does not let go of it: it may be
     *     written all the same, but not be freed before another call has returned
     */
    @Override
    void close();
  }

  /** A holder's end of the way to one reader. Used by one thread at a time. */
  interface Holder extends AutoCloseable {
    /** Connects to the reader who has sent {@code readersCard}, once; what to send it back. */
    byte[] connect(byte[] readersCard);

    /** Ends it: that reader's reads soon fail. */
    @Override
    void close();
  }

  /**
   * A reader's end of the way to one holder. Used by one thread at a time, but for {@link #abort}.
   */
  interface Reader extends AutoCloseable {
    /** What the holder has to know. */
    byte[] card();

    /** Connects to the holder who has sent {@code holdersCard}, once. */
    void connect(byte[] holdersCard);

    /**
     * Where reads may come to: all of {@code block}, of which the caller does nothing else
     * meanwhile; errors as of {@link #expose}.
     */
    Landing landing(MemoryBlock block);

    /**
     * Whether a read has failed so that nothing more can be read: both sides then make new ends.
     */
    boolean isBroken();

    /**
     * Gives up the read that another thread may be in, and all later ones. From any thread, also
     * when it is closed.
     */
    void abort();

    /** Ends it, between reads: nothing writes to its landings any more. */
    @Override
    void close();
  }

  /**
   * Where a reader's reads come to. Used by the reader's thread, and closed between reads; after
   * the reader, if a read has broken that.
   */
  interface Landing extends Registered {
    /**
     * Brings {@code sizeBytes} of what {@code key} opens, from {@code offset} on, to the beginning
     * of this. When it returns they are all there, as they were while they were exposed: it fails
     * if they were withdrawn before the last of them left. What has failed may be anything.
     *
     * @param what names it in errors
     * @param until how long it waits
     */
    void read(String what, byte[] key, long offset, long sizeBytes, Deadline until);
  }
}
