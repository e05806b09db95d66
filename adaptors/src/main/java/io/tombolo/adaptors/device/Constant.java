// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableMap;
import java.util.Optional;

/**
 * The numbers of a device runtime that the shim needs; a {@link DeviceDialect} gives each the
 * vendor's name and value. Names and order are those of {@code roles.h}.
 */
public enum Constant {
  SUCCESS(Need.ALWAYS),
  NOT_READY(Need.ALWAYS),
  OUT_OF_MEMORY(Need.ALWAYS),
  STREAM_NON_BLOCKING(Role.STREAM_CREATE),
  EVENT_NO_TIMING(Role.EVENT_CREATE),
  HOST_ALLOCATE_PORTABLE(Role.HOST_ALLOCATE),
  HOST_ALLOCATE_MAPPED(Role.HOST_ALLOCATE),
  HOST_REGISTER_PORTABLE(Role.HOST_REGISTER),
  HOST_REGISTER_MAPPED(Role.HOST_REGISTER),
  WAIT_AT_LEAST(Role.WAIT_VALUE),
  WRITE_PLAIN(Role.WRITE_VALUE),
  IPC_OPEN_FLAGS(Role.IPC_OPEN),
  FLUSH_TARGET(Role.FLUSH),
  FLUSH_SCOPE(Role.FLUSH),
  /** The code for a runtime that somebody else has started. */
  STARTED_BEFORE(Need.SOME_SHAPES),
  MEMORY_POLICY(Need.SOME_SHAPES),
  MEMORY_KIND(Need.SOME_SHAPES),
  KIND_TO_DEVICE(Need.SOME_SHAPES),
  KIND_TO_HOST(Need.SOME_SHAPES),
  KIND_ON_DEVICE(Need.SOME_SHAPES),
  STREAM_COMPLETE(Need.SOME_SHAPES),
  EVENT_COMPLETE(Need.SOME_SHAPES),
  GATE_COMPARES(Need.SOME_SHAPES),
  GATE_AT_LEAST(Need.SOME_SHAPES),
  GATE_REQUESTS(Need.SOME_SHAPES),
  GATE_SETS(Need.SOME_SHAPES),
  DMA_BUF_KIND(Role.DMA_BUF),
  /** As {@link #STARTED_BEFORE}, in other versions. */
  STARTED_TWICE(Need.SOME_SHAPES),
  DEVICE_PCI(Need.SOME_SHAPES),
  /** The code for access that is enabled already. */
  PEER_ENABLED_BEFORE(Role.PEER_ENABLE),
  MANAGED_ATTACH(Role.MANAGED_ALLOCATE),
  /** Beside {@link #EVENT_NO_TIMING}: the event can be asked for. */
  EVENT_POLLED(Need.SOME_SHAPES),
  /** This and the next two are abilities that can be asked for: streams wait for 64-bit words. */
  CAN_WAIT_FOR_WORDS(Need.SOME_SHAPES),
  /** Registered host memory has one address for host and device. */
  CAN_USE_HOST_POINTERS(Need.SOME_SHAPES),
  /** Bits; the lowest: {@link Role#FLUSH} works. */
  FLUSH_OPTIONS(Need.SOME_SHAPES),
  /** The status of a stream that is not captured. */
  NOT_CAPTURING(Role.STREAM_CAPTURING),
  /** The mode in which captures forbid nothing that they would not see. */
  CAPTURE_RELAXED(Role.CAPTURE_MODE),
  /** The kind of memory that is a word to wait for. */
  SIGNAL_KIND(Role.SIGNAL_ALLOCATE),
  /** Beside {@link #OUT_OF_MEMORY}, where the host's memory has a code of its own. */
  OUT_OF_HOST_MEMORY(Need.SOME_SHAPES),
  /** The code for an address that the runtime does not know. */
  NOT_KNOWN(Role.POINTER_ATTRIBUTE),
  /**
   * This and the next two are attributes of addresses: the ordinal of the device. Without a number
   * where all is told at once.
   */
  POINTER_DEVICE(Role.POINTER_ATTRIBUTE),
  POINTER_MANAGED(Need.SOME_SHAPES),
  POINTER_KIND(Need.SOME_SHAPES),
  /** The {@link #POINTER_KIND} of the host's memory. */
  KIND_OF_HOST(Need.SOME_SHAPES),
  /** The code for a stream whose context there is no telling, or the ordinal of no device. */
  CONTEXT_UNTOLD(Role.STREAM_CONTEXT),
  /** The code of devices that capture nothing, when they are asked whether they do. */
  NO_CAPTURES(Need.SOME_SHAPES),
  /** The {@link #POINTER_KIND} of memory that the runtime does not know. */
  KIND_OF_NOBODY(Need.SOME_SHAPES),
  /** Beside {@link #NOT_READY}, where queries have a second code for it. */
  STILL_BUSY(Need.SOME_SHAPES);

  private enum Need {
    ALWAYS,
    OF_A_ROLE,
    SOME_SHAPES
  }

  private final Need need;
  private final Optional<Role> role;

  Constant(Need need) {
    this.need = need;
    role = Optional.empty();
  }

  /** Of the call that has {@code role}. */
  Constant(Role role) {
    need = Need.OF_A_ROLE;
    this.role = Optional.of(role);
  }

  /** Whether a row with {@code symbols} must say it; else the shim takes 0. */
  boolean isNeededBy(ImmutableMap<Role, String> symbols) {
    return need == Need.ALWAYS || role.map(symbols::containsKey).orElse(false);
  }
}
