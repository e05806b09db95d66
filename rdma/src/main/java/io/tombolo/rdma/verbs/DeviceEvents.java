// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an open device says of itself, and whether the kernel has taken it away. Methods may be
 * called from any thread.
 *
 * <p>When a driver leaves its device, ib_uverbs answers EIO to the commands of those who use it
 * (ib_uverbs_get_ucontext_file). That alone does not tell that their objects are gone: commands
 * fail from uverbs_disassociate_api_pre on, "before destroying the HW objects", and only then does
 * ib_uverbs_free_hw_resources destroy each process's. Drivers say EIO of commands that their
 * hardware has not answered, too, and so do we where a library fails without an errno. That a
 * device says that it has failed does not tell either: drivers say so of a reset that is only about
 * to come. The objects are gone once the device has left sysfs (__ib_unregister_device). One that
 * is listed later is another, even under its name; one that is renamed stays the same. A library
 * that stands in for libibverbs has devices that are listed nowhere: of those the event counts. One
 * that is perhaps listed, where this process may not look, never counts as gone.
 */
final class DeviceEvents {
  private static final Logger log = LoggerFactory.getLogger(DeviceEvents.class);

  private final String name;
  private final long context;
  private final Path listing;
  private final Optional<Object> listed;
  private final boolean isListingReadable;
  private final Queue<AsyncEvent> seen = new ArrayDeque<>();
  private boolean failed;

  /**
   * The events of the device {@code name}.
   *
   * @param context the handle that it is open by
   * @param listing where the kernel lists devices; a library that stands in for libibverbs has some
   *     that are not there
   */
  DeviceEvents(String name, long context, Path listing) {
    this.name = name;
    this.context = context;
    this.listing = listing;
    Optional<Object> entry = Optional.empty();
    boolean isReadable = true;
    try {
      entry = identity(listing.resolve(name));
    } catch (IOException e) {
      isReadable = false;
      log.warn("RDMA device {} will never count as gone, as nobody sees it listed: {}", name, e);
    }
    this.listed = entry;
    this.isListingReadable = isReadable;
  }

  /** The next event, if there is one. */
  synchronized Optional<AsyncEvent> take() {
    Optional<AsyncEvent> event = Optional.ofNullable(seen.poll());
    return event.isPresent() ? event : ask();
  }

  /**
   * Whether {@code result}, of a call on the device or on what was made on it, is because the
   * kernel has taken it away: then it touches no memory of this process any more, and its objects
   * are gone.
   */
  boolean isGone(long result) {
    return result == VerbsErrors.EIO
        && isListingReadable
        && (listed.isPresent() ? hasLeft() : hasFailed());
  }

  /** As long as the listing cannot be read, the device counts as there. */
  private boolean hasLeft() {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(listing)) {
      for (Path entry : entries) {
        if (identity(entry).equals(listed)) {
          return false;
        }
      }
      return true;
    } catch (IOException | DirectoryIteratorException e) {
      return false;
    }
  }

  /** What tells an entry from all others, later ones of its name too; empty if it is not there. */
  private static Optional<Object> identity(Path entry) throws IOException {
    try {
      return Optional.ofNullable(Files.readAttributes(entry, BasicFileAttributes.class).fileKey());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private synchronized boolean hasFailed() {
    for (Optional<AsyncEvent> event = ask(); event.isPresent(); event = ask()) {
      seen.add(event.get());
    }
    return failed;
  }

  private Optional<AsyncEvent> ask() {
    long event = VerbsNative.asyncEvent0(context);
    if (event == VerbsErrors.EAGAIN) {
      return Optional.empty();
    }
    VerbsErrors.check("ask for events of RDMA device " + name, event);
    int type = (int) (event >>> Integer.SIZE);
    AsyncEvent asked = new AsyncEvent(type, (int) event, VerbsNative.eventText0(context, type));
    failed |= asked.killsDevice();
    return Optional.of(asked);
  }
}
