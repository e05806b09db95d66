// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.FabricException;

/** A send queue and a receive queue. Used by one thread at a time. */
final class QueuePair implements ReceiveQueue, AutoCloseable {
  private final PairType type;
  private final Handle handle;
  private final int number;
  private final int inlineBytes;

  QueuePair(PairType type, Handle handle, int number, int inlineBytes) {
    this.type = type;
    this.handle = handle;
    this.number = number;
    this.inlineBytes = inlineBytes;
  }

  /** Its number on the wire. */
  int number() {
    return number;
  }

  /** Payload that fits into a request itself, in bytes. */
  int inlineBytes() {
    return inlineBytes;
  }

  /**
   * Makes it ready to take receives on the port of {@code nic}.
   *
   * @param rights {@link Access} bits for peers, or the key that datagrams to it must show
   */
  void initialise(NicPort nic, int rights) {
    check(
        "put into partition " + nic.partition() + " of port " + nic.port() + " the",
        VerbsNative.initialise0(
            handle.get(), type == PairType.UD, nic.port(), nic.partition(), rights));
  }

  /**
   * Connects it along {@code route}; for RC and UC. False if the kernel cannot {@linkplain
   * Resolution resolve} the peer's address now. Nothing has changed then, also not what was posted
   * to it, as the kernel resolves before it asks the device; so the pair needs no reset, and the
   * same call may follow.
   */
  boolean tryConnect(AddressAttributes route, PairOptions options) {
    boolean isReliable = type == PairType.RC;
    byte[] gid = route.remoteGid().bytes();
    long fromNs = System.nanoTime();
    long result =
        VerbsNative.route0(handle.get(), isReliable, route.numbers(), gid, options.numbers());
    if (VerbsErrors.isUnresolved(result, route, System.nanoTime() - fromNs)) {
      return false;
    }
    check("connect", result);
    check("start", VerbsNative.start0(handle.get(), isReliable, options.numbers()));
    return true;
  }

  /** The same, where the kernel knows the address: its own. */
  void connect(AddressAttributes route, PairOptions options) {
    if (!tryConnect(route, options)) {
      check("connect", VerbsErrors.ETIMEDOUT);
    }
  }

  /** Makes a UD pair ready to send. */
  void activate(int sendPsn) {
    check("activate", VerbsNative.activate0(handle.get(), sendPsn));
  }

  /** Ends it: whatever is posted completes as flushed, unless the device is gone. */
  void abort() {
    end("abort", VerbsNative.abort0(handle.get()));
  }

  /**
   * Takes back all that is posted, whatever state it is in: from now on nothing of it completes,
   * and the NIC touches no memory for it. What has completed before may still be found: some
   * libraries take it out of the completion queue, and Soft-RoCE's leaves it there.
   */
  void reset() {
    end("reset", VerbsNative.reset0(handle.get()));
  }

  private void end(String doing, long result) {
    if (!handle.isGone(result)) {
      check(doing, result);
    }
  }

  /**
   * Posts all of {@code requests}, and empties them. The caller keeps count of the queue's room.
   */
  void post(SendRequests requests) {
    int count = requests.count();
    int posted = VerbsNative.send0(handle.get(), type == PairType.UD, requests.address(), count);
    requests.clear();
    if (posted < count) {
      check("post to", posted);
      throw new FabricException(
          type + " queue pair " + number + " took " + posted + " of " + count + " requests",
          posted);
    }
  }

  @Override
  public int post(long records, int count) {
    return VerbsNative.receive0(handle.get(), records, count);
  }

  boolean isClosed() {
    return handle.isClosed();
  }

  long handle() {
    return handle.get();
  }

  private void check(String doing, long result) {
    VerbsErrors.check(doing + " " + type + " queue pair " + number, result);
  }

  @Override
  public void close() {
    handle.close();
  }
}
