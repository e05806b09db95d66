// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Availability;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/**
 * All that is known of a fabric before one is open: its name, whom it reaches, what it needs, how
 * it is opened. Found by {@link java.util.ServiceLoader}; nothing else in the code knows fabrics by
 * name. A new fabric is a class that implements this, and a line that registers it.
 *
 * <p>{@code options} are what the user said, by lower-case name: {@code rdma_device} is the
 * variable {@code TOMBOLO_RDMA_DEVICE}. For any thread.
 */
public interface FabricProvider {
  /** The name in logs, errors, on command lines and in the addresses that ranks publish. */
  String name();

  /** Whom it reaches, for people: {@code ranks of this host}. */
  String peers();

  /**
   * Of several fabrics that reach a peer the one of the highest priority is used. Shared memory has
   * 100, TCP 20.
   */
  int priority();

  /** Whether both processes map the slots of its messages, so that devices of both reach them. */
  default boolean sharesMemory() {
    return false;
  }

  /**
   * Whether it goes where any sockets do. Then, in a process that may use it, channels of other
   * fabrics which do not open go by it, through the connections by which their ends met.
   */
  default boolean standsIn() {
    return false;
  }

  /**
   * Of a message of {@code sizeBytes} between two processes of host memory the bytes that its
   * receiver reads in the sender's memory: these are copied once, and all others by both. As far as
   * the settings of this system tell whether it allows that.
   */
  default long bytesReadInPlace(long sizeBytes) {
    return 0;
  }

  /**
   * Whether Java makes each of its packets: then how fast it is depends on how well the JVM
   * compiles that.
   */
  default boolean makesPackets() {
    return false;
  }

  /** The options that it reads. */
  default ImmutableSet<String> options() {
    return ImmutableSet.of();
  }

  /**
   * Whether it can be opened in this process, and by means of which library or device, if any; else
   * why not, and what helps.
   */
  default Availability availability(Map<String, String> options) {
    return new Availability.Available("");
  }

  /** Why a job that names no fabric goes without this one, if it does. */
  default Optional<String> reluctance(Map<String, String> options) {
    return availability(options) instanceof Availability.Missing missing
        ? Optional.of(missing.cause())
        : Optional.empty();
  }

  /**
   * Puts into this process's environment what libraries behind it read there; called before any
   * library of a vendor is opened, as {@link io.tombolo.base.NativeEnvironment} says.
   */
  default void exportDefaults() {}

  /**
   * Opens it. Whoever opens one closes it.
   *
   * @param settings what every fabric of the process is opened with
   * @param bind where to listen, for those that do: an address of this host, or the wildcard for
   *     all its interfaces; port 0 for any
   * @throws io.tombolo.base.errors.UnavailableException if it is not available, or that address or
   *     port cannot be had
   * @throws io.tombolo.base.errors.UsageException naming the option that makes no sense
   */
  Fabric open(FabricSettings settings, InetSocketAddress bind, Map<String, String> options);
}
