// SPDX-License-Identifier: Apache-2.0
/*
 * What is used of Level Zero's binary interface beyond its functions' names: descriptors, and numbers in them. A test holds
 * it against the real ze_api.h. Handles are pointers, enums and flags 32-bit integers, and so are results.
 */
#ifndef TOMBOLO_ZE_ABI_H
#define TOMBOLO_ZE_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { TOMBOLO_ZE_NAME_BYTES = 256, TOMBOLO_ZE_UUID_BYTES = 16 };

/* X(ours, theirs, value) */
#define ZE_NUMBERS(X)                                                       \
  X(TYPE_DEVICE_PROPERTIES, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, 0x3)       \
  X(TYPE_QUEUE_GROUP, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES, 0x6) \
  X(TYPE_MEMORY_PROPERTIES, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES, 0x7) \
  X(TYPE_CONTEXT, ZE_STRUCTURE_TYPE_CONTEXT_DESC, 0xd)                      \
  X(TYPE_QUEUE, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, 0xe)                  \
  X(TYPE_EVENT_POOL, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, 0x10)               \
  X(TYPE_EVENT, ZE_STRUCTURE_TYPE_EVENT_DESC, 0x11)                         \
  X(TYPE_DEVICE_MEMORY, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, 0x15)      \
  X(TYPE_HOST_MEMORY, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, 0x16)          \
  X(TYPE_ALLOCATION, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, 0x17)  \
  X(MEMORY_UNKNOWN, ZE_MEMORY_TYPE_UNKNOWN, 0)                              \
  X(MEMORY_OF_HOST, ZE_MEMORY_TYPE_HOST, 1)                                 \
  X(TYPE_PCI, ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES, 0x10008)                \
  X(IS_GPU, ZE_DEVICE_TYPE_GPU, 1)                                          \
  X(GROUP_COMPUTES, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE, 1)        \
  X(GROUP_COPIES, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY, 2)             \
  X(ASYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 2)                    \
  X(NORMAL, ZE_COMMAND_QUEUE_PRIORITY_NORMAL, 0)                            \
  X(URGENT, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH, 2)                     \
  X(HOST_SEES_EVENT, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1)                    \
  X(FLUSH_FOR_HOST, ZE_EVENT_SCOPE_FLAG_HOST, 4)                            \
  X(INVALID_ARGUMENT, ZE_RESULT_ERROR_INVALID_ARGUMENT, 0x78000004)         \
  X(OUT_OF_HOST_MEMORY, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, 0x70000002)

/* Since API 1.6 (in order) and 1.8 (counter-based events, an extension): where the header is older, nobody checks them. */
#define ZE_LATER_NUMBERS(X)                                                             \
  X(IN_ORDER, ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 2)                                        \
  X(TYPE_COUNTER_BASED, ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC, 0x20014)   \
  X(COUNTS_IMMEDIATE, ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE, 1)

#define AS_ZE_ENUM(ours, theirs, value) TOMBOLO_ZE_##ours = value,
enum { ZE_NUMBERS(AS_ZE_ENUM) ZE_LATER_NUMBERS(AS_ZE_ENUM) };
#undef AS_ZE_ENUM

/* The simple descriptors: a type, a chain, and up to five numbers in the order of the original. */
typedef struct tombolo_ze_desc {
  uint32_t type;
  const void* next;
  uint32_t field[5];
} tombolo_ze_desc;

enum { QUEUE_ORDINAL = 0, QUEUE_FLAGS = 2, QUEUE_MODE = 3, QUEUE_PRIORITY = 4, POOL_FLAGS = 0, POOL_COUNT = 1, EVENT_SIGNAL = 1, EVENT_WAIT = 2 };

typedef struct tombolo_ze_device {
  uint32_t type;
  void* next;
  uint32_t kind;
  uint32_t unused_ids[5];
  uint64_t unused_most_memory;
  uint32_t unused_counts[7];
  uint64_t unused_resolution;
  uint32_t unused_bits[2];
  uint8_t unused_uuid[TOMBOLO_ZE_UUID_BYTES];
  char name[TOMBOLO_ZE_NAME_BYTES];
} tombolo_ze_device;

typedef struct tombolo_ze_memory {
  uint32_t type;
  void* next;
  uint32_t unused_flags[3];
  uint64_t size;
  char unused_name[TOMBOLO_ZE_NAME_BYTES];
} tombolo_ze_memory;

typedef struct tombolo_ze_allocation {
  uint32_t type;
  void* next;
  uint32_t kind;
  uint64_t unused_id;
  uint64_t unused_page_bytes;
} tombolo_ze_allocation;

typedef struct tombolo_ze_group {
  uint32_t type;
  void* next;
  uint32_t flags;
  size_t unused_most_pattern;
  uint32_t unused_queues;
} tombolo_ze_group;

typedef struct tombolo_ze_pci {
  uint32_t type;
  void* next;
  uint32_t domain;
  uint32_t bus;
  uint32_t device;
  uint32_t function;
  int32_t unused_lanes[2];
  int64_t unused_speed;
} tombolo_ze_pci;

#endif
