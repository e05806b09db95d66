// SPDX-License-Identifier: Apache-2.0
/* The emulated Level Zero, called as the real ze_api.h declares it: shared memory and peers. */
#include <level_zero/ze_api.h>

#include "../check.h"

enum { MOST = 16 };

static void shared_memory_has_one_address(ze_driver_handle_t driver, ze_device_handle_t gpu) {
  ze_context_handle_t context = NULL;
  ze_context_desc_t wanted = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
  ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
  ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
  void* shared = NULL;
  CHECK(zeContextCreate(driver, &wanted, &context) == ZE_RESULT_SUCCESS);
  CHECK(zeMemAllocShared(context, &on_device, &on_host, BYTES, 64, gpu, &shared) == ZE_RESULT_SUCCESS);
  ((unsigned char*)shared)[BYTES - 1] = 1;
  CHECK(zeMemFree(context, shared) == ZE_RESULT_SUCCESS);
  on_host.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  CHECK(zeMemAllocShared(context, &on_device, &on_host, BYTES, 64, gpu, &shared) == ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static ze_memory_type_t kind_of(ze_context_handle_t context, const void* address, ze_device_handle_t* device) {
  ze_memory_allocation_properties_t of = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
  CHECK(zeMemGetAllocProperties(context, address, &of, device) == ZE_RESULT_SUCCESS);
  return of.type;
}

static void contexts_know_their_own_memory(ze_driver_handle_t const driver[2], ze_device_handle_t gpu) {
  ze_context_handle_t own = NULL;
  ze_context_handle_t foreign = NULL;
  ze_context_desc_t wanted = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
  ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
  ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
  ze_memory_allocation_properties_t untyped = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
  ze_device_handle_t of = NULL;
  void* block = NULL;
  void* shared = NULL;
  void* host = NULL;
  CHECK(zeContextCreate(driver[0], &wanted, &own) == ZE_RESULT_SUCCESS);
  CHECK(zeContextCreate(driver[1], &wanted, &foreign) == ZE_RESULT_SUCCESS);
  CHECK(zeMemAllocDevice(own, &on_device, BYTES, 64, gpu, &block) == ZE_RESULT_SUCCESS);
  CHECK(zeMemAllocShared(own, &on_device, &on_host, BYTES, 64, gpu, &shared) == ZE_RESULT_SUCCESS);
  CHECK(zeMemAllocHost(own, &on_host, BYTES, 64, &host) == ZE_RESULT_SUCCESS);
  CHECK(kind_of(own, (char*)block + BYTES - 1, &of) == ZE_MEMORY_TYPE_DEVICE && of == gpu);
  CHECK(kind_of(own, shared, &of) == ZE_MEMORY_TYPE_SHARED && of == gpu);
  CHECK(kind_of(own, host, &of) == ZE_MEMORY_TYPE_HOST && of == NULL);
  CHECK(kind_of(foreign, block, &of) == ZE_MEMORY_TYPE_UNKNOWN && of != gpu);
  CHECK(kind_of(own, &untyped, NULL) == ZE_MEMORY_TYPE_UNKNOWN);
  CHECK(zeMemGetAllocProperties(NULL, block, &untyped, NULL) == ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
  CHECK(zeMemGetAllocProperties(own, NULL, &untyped, NULL) == ZE_RESULT_ERROR_INVALID_NULL_POINTER);
  CHECK(zeMemGetAllocProperties(own, block, &untyped, NULL) == ZE_RESULT_ERROR_INVALID_ARGUMENT);
  CHECK(zeMemFree(own, block) == ZE_RESULT_SUCCESS && kind_of(own, block, &of) == ZE_MEMORY_TYPE_UNKNOWN);
  CHECK(zeMemFree(own, shared) == ZE_RESULT_SUCCESS && zeMemFree(own, host) == ZE_RESULT_SUCCESS);
}

static void devices_reach_themselves_and_their_drivers_others(ze_device_handle_t const own[MOST], ze_device_handle_t foreign) {
  ze_bool_t reaches = 7;
  ze_device_handle_t cpu = own[1];
  CHECK(zeDeviceCanAccessPeer(own[0], own[2], &reaches) == ZE_RESULT_SUCCESS && reaches);
  CHECK(zeDeviceCanAccessPeer(own[0], own[0], &reaches) == ZE_RESULT_SUCCESS && reaches);
  CHECK(zeDeviceCanAccessPeer(own[0], cpu, &reaches) == ZE_RESULT_SUCCESS && !reaches);
  CHECK(zeDeviceCanAccessPeer(own[0], foreign, &reaches) == ZE_RESULT_SUCCESS && !reaches);
  CHECK(zeDeviceCanAccessPeer(own[0], NULL, &reaches) == ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

int main(void) {
  uint32_t drivers = 2;
  uint32_t first = MOST;
  uint32_t second = MOST;
  ze_driver_handle_t driver[2];
  ze_device_handle_t own[MOST];
  ze_device_handle_t foreign[MOST];
  CHECK(zeInit(0) == ZE_RESULT_SUCCESS);
  CHECK(zeDriverGet(&drivers, driver) == ZE_RESULT_SUCCESS && drivers == 2);
  CHECK(zeDeviceGet(driver[0], &first, own) == ZE_RESULT_SUCCESS && first > 2);
  CHECK(zeDeviceGet(driver[1], &second, foreign) == ZE_RESULT_SUCCESS && second > 0);
  shared_memory_has_one_address(driver[0], own[0]);
  contexts_know_their_own_memory(driver, own[0]);
  devices_reach_themselves_and_their_drivers_others(own, foreign[0]);
  return 0;
}
