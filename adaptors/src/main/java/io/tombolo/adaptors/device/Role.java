// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

/**
 * What the shim calls a device runtime for; a {@link DeviceDialect} gives each role the vendor's
 * symbol. Names and order are those of {@code roles.h}.
 */
public enum Role {
  INIT,
  DRIVER_VERSION,
  ERROR_NAME,
  ERROR_TEXT,
  DEVICE_COUNT,
  DEVICE_GET,
  DEVICE_NAME,
  PCI_BUS_ID,
  TOTAL_MEMORY,
  /** Only where devices have contexts. */
  CONTEXT_RETAIN,
  /** Only where devices have contexts. */
  CONTEXT_RELEASE,
  /** Makes a device the calling thread's own. */
  SET_CURRENT,
  ALLOCATE,
  FREE,
  HOST_ALLOCATE,
  HOST_FREE,
  HOST_REGISTER,
  HOST_UNREGISTER,
  STREAM_CREATE,
  STREAM_DESTROY,
  STREAM_QUERY,
  STREAM_WAIT_EVENT,
  EVENT_CREATE,
  EVENT_RECORD,
  EVENT_QUERY,
  EVENT_DESTROY,
  COPY_TO_DEVICE,
  COPY_TO_HOST,
  COPY_ON_DEVICE,
  FILL,
  WAIT_VALUE,
  WRITE_VALUE,
  /** Optional. */
  IPC_EXPORT,
  /** Optional. */
  IPC_OPEN,
  /** Optional. */
  IPC_CLOSE,
  /** Optional: makes landed remote writes visible; without it no NIC writes to the device. */
  FLUSH,
  /** Optional: the address that the device has for registered host memory. */
  HOST_POINTER,
  /** This and the next three are gates: where a stream waits until the host lets it go on. */
  GATE_MAKE,
  GATE_WAIT,
  GATE_OPEN,
  GATE_SHUT,
  /** Only where streams are of kinds. */
  STREAM_KINDS,
  /** This and the next one only where events come from pools. */
  EVENT_POOL_CREATE,
  EVENT_POOL_DESTROY,
  /** This and those that follow run compiled kernels; what a library lacks of them, it lacks. */
  MODULE_LOAD,
  MODULE_UNLOAD,
  MODULE_FUNCTION,
  LAUNCH,
  /** Optional: a descriptor of device memory for the drivers of NICs. */
  DMA_BUF,
  /** This and those that follow are optional: what a library lacks of them, it lacks. */
  PEER_CAN_ACCESS,
  /** Only where devices do not reach each other's memory as they are. */
  PEER_ENABLE,
  MANAGED_ALLOCATE,
  HOST_FUNCTION,
  /** What a device is able to do, by number. */
  DEVICE_ATTRIBUTE,
  /** This and the next one only where streams have priorities. */
  STREAM_PRIORITIES,
  STREAM_CREATE_RANKED,
  /** Whether a stream is being captured into a graph. */
  STREAM_CAPTURING,
  /** What captures forbid the calling thread. */
  CAPTURE_MODE,
  /** Only where streams wait for words of memory of their own: allocates one. */
  SIGNAL_ALLOCATE,
  /** What the runtime knows of an address that the caller brings. */
  POINTER_ATTRIBUTE,
  /** The context of a stream that the caller brings, or its device where that has none. */
  STREAM_CONTEXT,
  /** What is current on the calling thread, so that it can be given back. */
  GET_CURRENT,
  /** Optional: whether anybody in this process has opened a device. */
  CONTEXT_STATE,
  /** What {@link #STREAM_CONTEXT} is compared with, where devices are set by their ordinals. */
  CURRENT_CONTEXT
}
