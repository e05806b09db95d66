// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableList;
import java.util.Optional;

/**
 * An open RDMA device. Methods may be called from any thread; whoever opened it closes it, after
 * all that was made on it.
 */
final class VerbsDevice implements AutoCloseable {
  private final String name;
  private final Handle handle;
  private final DeviceEvents events;

  VerbsDevice(String name, Handle handle, DeviceEvents events) {
    this.name = name;
    this.handle = handle;
    this.events = events;
  }

  String name() {
    return name;
  }

  /** What it can do. */
  DeviceAttributes attributes() {
    long[] values = new long[DeviceAttributes.LENGTH];
    check("query", VerbsNative.queryDevice0(handle.get(), values));
    return DeviceAttributes.of(values);
  }

  /** The state of {@code port}, counted from 1. */
  PortAttributes port(int port) {
    long[] values = new long[PortAttributes.LENGTH];
    check("query port " + port + " of", VerbsNative.queryPort0(handle.get(), port, values));
    return PortAttributes.of(values);
  }

  /** The GIDs of {@code port} that are set. */
  ImmutableList<Gid> gids(int port) {
    int length = port(port).gidTableLength();
    ImmutableList.Builder<Gid> found = ImmutableList.builder();
    for (int index = 0; index < length; index++) {
      gid(port, index).ifPresent(found::add);
    }
    return found.build();
  }

  /** An unset entry of the table is all zeros, or an error. */
  private Optional<Gid> gid(int port, int index) {
    byte[] bytes = new byte[Gid.SIZE_BYTES];
    long type = VerbsNative.queryGid0(handle.get(), port, index, bytes);
    return type < 0 ? Optional.empty() : Gid.of(index, (int) type, bytes);
  }

  /** A new protection domain. */
  ProtectionDomain protectionDomain() {
    return new ProtectionDomain(
        handle.made(
            "protection domain",
            check("allocate a protection domain on", VerbsNative.allocateDomain0(handle.get()))));
  }

  /** A new source of completion events. */
  CompletionEvents events() {
    return new CompletionEvents(
        handle.made(
            "completion channel",
            check("make a completion channel on", VerbsNative.createEvents0(handle.get()))));
  }

  /** A new completion queue of at least {@code depth} entries that raises {@code events}. */
  CompletionQueue completionQueue(int depth, CompletionEvents events) {
    return new CompletionQueue(
        handle.made(
            "completion queue",
            check(
                "make a completion queue of " + depth + " entries on",
                VerbsNative.createCompletions0(handle.get(), depth, events.handle()))));
  }

  /** The next asynchronous event, if there is one. */
  Optional<AsyncEvent> takeEvent() {
    return events.take();
  }

  private long check(String doing, long result) {
    return VerbsErrors.check(doing + " RDMA device " + name, result);
  }

  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
