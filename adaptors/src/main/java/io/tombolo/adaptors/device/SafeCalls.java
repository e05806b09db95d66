// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;

/**
 * Which calls return while a stream is held, for rows to declare. What no vendor's document says is
 * not in: allocating, freeing, registering, making and ending streams and events, loading code, the
 * first fill.
 */
final class SafeCalls {
  /**
   * What only queues work, or asks how far it is: asynchronous in the words of all vendors whose
   * documents we have seen, and taken to be so by those that only claim another's interface, as
   * nothing can be done without it; CNRT's copies of pageable memory, of which nobody says it, are
   * {@linkplain GateProbe tried}. The mode in which a thread asks is the thread's own, and what
   * changes it looks at no stream.
   */
  static final ImmutableSet<Role> COMMON =
      Sets.immutableEnumSet(
          Role.ERROR_NAME,
          Role.ERROR_TEXT,
          Role.SET_CURRENT,
          Role.GET_CURRENT,
          Role.STREAM_QUERY,
          Role.STREAM_WAIT_EVENT,
          Role.EVENT_RECORD,
          Role.EVENT_QUERY,
          Role.CAPTURE_MODE,
          Role.COPY_TO_DEVICE,
          Role.COPY_TO_HOST,
          Role.COPY_ON_DEVICE);

  /**
   * And of CUDA's driver API: none is on the list of implicit synchronizations of its programming
   * guide. The flush waits for what NICs have written, not for streams ({@code cuda.h}); a dma-buf
   * is a descriptor of memory that is there already; kernels are loaded before they are launched.
   */
  static final ImmutableSet<Role> CUDA =
      Sets.immutableEnumSet(
          Sets.union(
              COMMON,
              ImmutableSet.of(
                  Role.WAIT_VALUE,
                  Role.WRITE_VALUE,
                  Role.FLUSH,
                  Role.DMA_BUF,
                  Role.LAUNCH,
                  Role.STREAM_CAPTURING)));

  /**
   * And of HIP: {@code hip_runtime_api.h} says "enqueues" of waits and writes, and ROCm's guide to
   * asynchronous execution that a launch returns at once. Frees, says the same header, synchronize
   * the device implicitly.
   */
  static final ImmutableSet<Role> HIP =
      Sets.immutableEnumSet(
          Sets.union(COMMON, ImmutableSet.of(Role.WAIT_VALUE, Role.WRITE_VALUE, Role.LAUNCH)));

  /**
   * And of runtimes that have CUDA's or HIP's interface, says their maker: no more, whatever the
   * other's documents say of the same names. But for what NICs need, which is work of no stream: a
   * dma-buf, and the flush, which is made only where the device says that the host can flush.
   */
  static final ImmutableSet<Role> COMPATIBLE =
      Sets.immutableEnumSet(Sets.union(COMMON, ImmutableSet.of(Role.FLUSH, Role.DMA_BUF)));

  /** And of Level Zero: a signal by the host is "lock-free", says {@code ze_api.h}. */
  static final ImmutableSet<Role> LEVEL_ZERO =
      Sets.immutableEnumSet(Sets.union(COMMON, ImmutableSet.of(Role.GATE_OPEN)));

  private SafeCalls() {}
}
