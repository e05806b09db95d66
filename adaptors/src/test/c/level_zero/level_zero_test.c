// SPDX-License-Identifier: Apache-2.0
/* What the shim takes for Level Zero's binary interface against the real ze_api.h: descriptors, numbers, and how functions are called. */
#include <level_zero/ze_api.h>
#include <stdio.h>

#include "../../../main/c/tombolo_device/ze_abi.h"

#define SAME_NUMBER(ours, theirs, value) _Static_assert((long)theirs == (long)TOMBOLO_ZE_##ours, #theirs);
ZE_NUMBERS(SAME_NUMBER)
#ifdef ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME
ZE_LATER_NUMBERS(SAME_NUMBER)
_Static_assert(offsetof(ze_event_pool_counter_based_exp_desc_t, flags) == offsetof(tombolo_ze_desc, field), "counting");
#endif

_Static_assert(ZE_MAX_DEVICE_NAME == TOMBOLO_ZE_NAME_BYTES && ZE_MAX_DEVICE_UUID_SIZE == TOMBOLO_ZE_UUID_BYTES, "sizes");
_Static_assert(sizeof(ze_result_t) == sizeof(int) && sizeof(ze_structure_type_t) == sizeof(uint32_t), "enums");

/* A descriptor's numbers lie one after the other, and each is where the shim puts it. */
#define IN_PLACE(theirs, member, index) \
  _Static_assert(offsetof(theirs, member) == offsetof(tombolo_ze_desc, field[index]) && sizeof(theirs) <= sizeof(tombolo_ze_desc), \
                 #theirs "." #member);
IN_PLACE(ze_context_desc_t, flags, 0)
IN_PLACE(ze_command_queue_desc_t, ordinal, QUEUE_ORDINAL)
IN_PLACE(ze_command_queue_desc_t, flags, QUEUE_FLAGS)
IN_PLACE(ze_command_queue_desc_t, mode, QUEUE_MODE)
IN_PLACE(ze_command_queue_desc_t, priority, QUEUE_PRIORITY)
IN_PLACE(ze_event_pool_desc_t, flags, POOL_FLAGS)
IN_PLACE(ze_event_pool_desc_t, count, POOL_COUNT)
IN_PLACE(ze_event_desc_t, index, 0)
IN_PLACE(ze_event_desc_t, signal, EVENT_SIGNAL)
IN_PLACE(ze_event_desc_t, wait, EVENT_WAIT)
IN_PLACE(ze_device_mem_alloc_desc_t, flags, 0)
IN_PLACE(ze_host_mem_alloc_desc_t, flags, 0)

#define SAME_PLACE(theirs, member, ours, field) _Static_assert(offsetof(theirs, member) == offsetof(ours, field), #theirs "." #member);
#define SAME_SIZE(theirs, ours) _Static_assert(sizeof(theirs) == sizeof(ours), #theirs);
SAME_SIZE(ze_device_properties_t, tombolo_ze_device)
SAME_PLACE(ze_device_properties_t, type, tombolo_ze_device, kind)
SAME_PLACE(ze_device_properties_t, maxMemAllocSize, tombolo_ze_device, unused_most_memory)
SAME_PLACE(ze_device_properties_t, name, tombolo_ze_device, name)
SAME_SIZE(ze_device_memory_properties_t, tombolo_ze_memory)
SAME_PLACE(ze_device_memory_properties_t, totalSize, tombolo_ze_memory, size)
SAME_SIZE(ze_memory_allocation_properties_t, tombolo_ze_allocation)
SAME_PLACE(ze_memory_allocation_properties_t, type, tombolo_ze_allocation, kind)
SAME_SIZE(ze_command_queue_group_properties_t, tombolo_ze_group)
SAME_PLACE(ze_command_queue_group_properties_t, flags, tombolo_ze_group, flags)
SAME_SIZE(ze_pci_ext_properties_t, tombolo_ze_pci)
SAME_PLACE(ze_pci_ext_properties_t, address.domain, tombolo_ze_pci, domain)
SAME_PLACE(ze_pci_ext_properties_t, address.function, tombolo_ze_pci, function)

/* Called as the shim does; handles and descriptors are pointers, whatever they point to. */
#define SAME_PROTOTYPE(name, ...) _Static_assert(_Generic(&name, ze_result_t(*)(__VA_ARGS__): 1, default: 0), #name);
typedef ze_event_handle_t event;
typedef ze_command_list_handle_t list;
SAME_PROTOTYPE(zeInit, uint32_t)
SAME_PROTOTYPE(zeDriverGet, uint32_t*, ze_driver_handle_t*)
SAME_PROTOTYPE(zeDriverGetApiVersion, ze_driver_handle_t, ze_api_version_t*)
SAME_PROTOTYPE(zeDriverGetExtensionFunctionAddress, ze_driver_handle_t, const char*, void**)
SAME_PROTOTYPE(zeDeviceGet, ze_driver_handle_t, uint32_t*, ze_device_handle_t*)
SAME_PROTOTYPE(zeDeviceGetProperties, ze_device_handle_t, ze_device_properties_t*)
SAME_PROTOTYPE(zeDeviceGetMemoryProperties, ze_device_handle_t, uint32_t*, ze_device_memory_properties_t*)
SAME_PROTOTYPE(zeDeviceGetCommandQueueGroupProperties, ze_device_handle_t, uint32_t*, ze_command_queue_group_properties_t*)
SAME_PROTOTYPE(zeDeviceCanAccessPeer, ze_device_handle_t, ze_device_handle_t, ze_bool_t*)
_Static_assert(sizeof(ze_bool_t) == sizeof(uint8_t), "ze_bool_t");
SAME_PROTOTYPE(zeDevicePciGetPropertiesExt, ze_device_handle_t, ze_pci_ext_properties_t*)
SAME_PROTOTYPE(zeContextCreate, ze_driver_handle_t, const ze_context_desc_t*, ze_context_handle_t*)
SAME_PROTOTYPE(zeMemAllocDevice, ze_context_handle_t, const ze_device_mem_alloc_desc_t*, size_t, size_t, ze_device_handle_t,
               void**)
SAME_PROTOTYPE(zeMemAllocHost, ze_context_handle_t, const ze_host_mem_alloc_desc_t*, size_t, size_t, void**)
SAME_PROTOTYPE(zeMemAllocShared, ze_context_handle_t, const ze_device_mem_alloc_desc_t*, const ze_host_mem_alloc_desc_t*, size_t,
               size_t, ze_device_handle_t, void**)
SAME_PROTOTYPE(zeMemFree, ze_context_handle_t, void*)
SAME_PROTOTYPE(zeMemGetAllocProperties, ze_context_handle_t, const void*, ze_memory_allocation_properties_t*,
               ze_device_handle_t*)
SAME_PROTOTYPE(zeCommandListCreateImmediate, ze_context_handle_t, ze_device_handle_t, const ze_command_queue_desc_t*, list*)
SAME_PROTOTYPE(zeCommandListDestroy, list)
SAME_PROTOTYPE(zeCommandListAppendMemoryCopy, list, void*, const void*, size_t, event, uint32_t, event*)
SAME_PROTOTYPE(zeCommandListAppendMemoryFill, list, void*, const void*, size_t, size_t, event, uint32_t, event*)
SAME_PROTOTYPE(zeCommandListAppendSignalEvent, list, event)
SAME_PROTOTYPE(zeCommandListAppendWaitOnEvents, list, uint32_t, event*)
SAME_PROTOTYPE(zeEventPoolCreate, ze_context_handle_t, const ze_event_pool_desc_t*, uint32_t, ze_device_handle_t*,
               ze_event_pool_handle_t*)
SAME_PROTOTYPE(zeEventPoolDestroy, ze_event_pool_handle_t)
SAME_PROTOTYPE(zeEventCreate, ze_event_pool_handle_t, const ze_event_desc_t*, event*)
SAME_PROTOTYPE(zeEventDestroy, event)
SAME_PROTOTYPE(zeEventQueryStatus, event)
SAME_PROTOTYPE(zeEventHostSignal, event)
SAME_PROTOTYPE(zeEventHostReset, event)

int main(void) {
  puts("Level Zero: the header agrees");
  return 0;
}
