package io.tombolo.adaptors.device;

/**
 * The numbers of a device runtime that the shim needs; a {@link DeviceDialect} gives each the
 * vendor's name and value. Names and order are those of {@code roles.h}.
 */
public enum Constant {
  SUCCESS,
  NOT_READY,
  OUT_OF_MEMORY,
  STREAM_NON_BLOCKING,
  EVENT_NO_TIMING,
  HOST_ALLOCATE_PORTABLE,
  HOST_ALLOCATE_MAPPED,
  HOST_REGISTER_PORTABLE,
  HOST_REGISTER_MAPPED,
  WAIT_AT_LEAST,
  WRITE_PLAIN,
  IPC_OPEN_FLAGS,
  FLUSH_TARGET,
  FLUSH_SCOPE,
  /** Optional, as all that follow: the code for a runtime that somebody else has started. */
  STARTED_BEFORE,
  MEMORY_POLICY,
  MEMORY_KIND,
  KIND_TO_DEVICE,
  KIND_TO_HOST,
  KIND_ON_DEVICE,
  STREAM_COMPLETE,
  EVENT_COMPLETE,
  GATE_COMPARES,
  GATE_AT_LEAST,
  GATE_REQUESTS,
  GATE_SETS,
  DMA_BUF_KIND
}
