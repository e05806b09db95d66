// SPDX-License-Identifier: Apache-2.0
/* What a row of Java names and numbers. */
#ifndef TOMBOLO_ROLES_H
#define TOMBOLO_ROLES_H

/* The same words in the same order as Java's Role and Constant; opening a row checks it. */
#define ROLES(X)                                                                                              \
  X(INIT) X(DRIVER_VERSION) X(ERROR_NAME) X(ERROR_TEXT)                                                       \
  X(DEVICE_COUNT) X(DEVICE_GET) X(DEVICE_NAME) X(PCI_BUS_ID) X(TOTAL_MEMORY)                                  \
  X(CONTEXT_RETAIN) X(CONTEXT_RELEASE) X(SET_CURRENT)                                                         \
  X(ALLOCATE) X(FREE) X(HOST_ALLOCATE) X(HOST_FREE) X(HOST_REGISTER) X(HOST_UNREGISTER)                       \
  X(STREAM_CREATE) X(STREAM_DESTROY) X(STREAM_QUERY) X(STREAM_WAIT_EVENT)                                     \
  X(EVENT_CREATE) X(EVENT_RECORD) X(EVENT_QUERY) X(EVENT_DESTROY)                                             \
  X(COPY_TO_DEVICE) X(COPY_TO_HOST) X(COPY_ON_DEVICE) X(FILL) X(WAIT_VALUE) X(WRITE_VALUE)                    \
  X(IPC_EXPORT) X(IPC_OPEN) X(IPC_CLOSE) X(FLUSH) X(HOST_POINTER)                             \
  X(GATE_MAKE) X(GATE_WAIT) X(GATE_OPEN) X(GATE_SHUT)                                                        \
  X(STREAM_KINDS) X(EVENT_POOL_CREATE) X(EVENT_POOL_DESTROY)                                                 \
  X(MODULE_LOAD) X(MODULE_UNLOAD) X(MODULE_FUNCTION) X(LAUNCH) X(DMA_BUF)                        \
  X(PEER_CAN_ACCESS) X(PEER_ENABLE) X(MANAGED_ALLOCATE) X(HOST_FUNCTION) X(DEVICE_ATTRIBUTE) \
  X(STREAM_PRIORITIES) X(STREAM_CREATE_RANKED) X(STREAM_CAPTURING) X(CAPTURE_MODE) X(SIGNAL_ALLOCATE) \
  X(POINTER_ATTRIBUTE) X(STREAM_CONTEXT) X(GET_CURRENT) X(CONTEXT_STATE) X(CURRENT_CONTEXT)

#define CONSTANTS(X)                                                                                          \
  X(SUCCESS) X(NOT_READY) X(OUT_OF_MEMORY) X(STREAM_NON_BLOCKING) X(EVENT_NO_TIMING)                          \
  X(HOST_ALLOCATE_PORTABLE) X(HOST_ALLOCATE_MAPPED) X(HOST_REGISTER_PORTABLE) X(HOST_REGISTER_MAPPED)         \
  X(WAIT_AT_LEAST) X(WRITE_PLAIN) X(IPC_OPEN_FLAGS) X(FLUSH_TARGET) X(FLUSH_SCOPE)                           \
  X(STARTED_BEFORE) X(MEMORY_POLICY) X(MEMORY_KIND) X(KIND_TO_DEVICE) X(KIND_TO_HOST) X(KIND_ON_DEVICE)       \
  X(STREAM_COMPLETE) X(EVENT_COMPLETE)                                                                        \
  X(GATE_COMPARES) X(GATE_AT_LEAST) X(GATE_REQUESTS) X(GATE_SETS) X(DMA_BUF_KIND)   \
  X(STARTED_TWICE) X(DEVICE_PCI) X(PEER_ENABLED_BEFORE) X(MANAGED_ATTACH) X(EVENT_POLLED)                       \
  X(CAN_WAIT_FOR_WORDS) X(CAN_USE_HOST_POINTERS) X(FLUSH_OPTIONS) X(NOT_CAPTURING) X(CAPTURE_RELAXED) \
  X(SIGNAL_KIND) X(OUT_OF_HOST_MEMORY) X(NOT_KNOWN) X(POINTER_DEVICE) X(POINTER_MANAGED) X(POINTER_KIND) \
  X(KIND_OF_HOST) X(CONTEXT_UNTOLD) X(NO_CAPTURES) X(KIND_OF_NOBODY) X(STILL_BUSY)

#define AS_ENUM(word) word,
typedef enum role { ROLES(AS_ENUM) ROLE_COUNT } role;
typedef enum constant { CONSTANTS(AS_ENUM) CONSTANT_COUNT } constant;
#undef AS_ENUM

#endif
