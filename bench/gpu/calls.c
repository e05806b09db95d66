// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  LOCATION_DEVICE = 1,
  ALLOCATION_PINNED = 1,
  READ_WRITE = 3,
  ATTACH_GLOBAL = 1,
  POINTER_KIND = 2,
  FUNCTION_REGISTERS = 4,
  ATTRIBUTE_64_BIT = 122,
};

/* What a call ends is gone only if it says so: else call_clear ends it. */
#define GONE(call, field) \
  do {                    \
    TRY(call);            \
    j->field = 0;         \
    return 0;             \
  } while (0)

#define TRY(call)          \
  do {                     \
    int code_ = (call);    \
    if (code_ != 0) {      \
      return code_;        \
    }                      \
  } while (0)

static int nothing(const world* w, job* j) {
  (void)w;
  (void)j;
  return 0;
}

static int small(const world* w, job* j) { return w->cu.cuMemAlloc_v2(&j->memory, SMALL); }
static int large(const world* w, job* j) { return w->cu.cuMemAlloc_v2(&j->memory, LARGE); }
static int small_host(const world* w, job* j) { return w->cu.cuMemHostAlloc(&j->host, SMALL, PORTABLE_MAPPED); }
static int large_host(const world* w, job* j) { return w->cu.cuMemHostAlloc(&j->host, LARGE, PORTABLE_MAPPED); }
static int event(const world* w, job* j) { return w->cu.cuEventCreate(&j->event, NO_TIMING); }
static int own_stream(const world* w, job* j) { return w->cu.cuStreamCreate(&j->stream, NON_BLOCKING); }
static int blocking_stream(const world* w, job* j) { return w->cu.cuStreamCreate(&j->stream, 0); }

static int async(const world* w, job* j) {
  TRY(w->cu.cuMemAllocAsync(&j->async, SMALL, w->other));
  return world_drain(w, w->other);
}

static int pages(const world* w, job* j) {
  (void)w;
  j->pages = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return j->pages == MAP_FAILED ? -1 : 0;
}

static int pin(const world* w, job* j, size_t bytes) {
  TRY(w->cu.cuMemHostRegister_v2(j->pages, bytes, PORTABLE_MAPPED));
  j->registered = true;
  return 0;
}

static int pinned_page(const world* w, job* j) {
  TRY(pages(w, j));
  return pin(w, j, 4096);
}

static int pinned_pages(const world* w, job* j) {
  TRY(pages(w, j));
  return pin(w, j, LARGE);
}

static int unpin(const world* w, job* j) { GONE(w->cu.cuMemHostUnregister(j->pages), registered); }

static int free_memory(const world* w, job* j) { GONE(w->cu.cuMemFree_v2(j->memory), memory); }

static int free_host(const world* w, job* j) { GONE(w->cu.cuMemFreeHost(j->host), host); }

static int free_async(const world* w, job* j) { GONE(w->cu.cuMemFreeAsync(j->async, w->other), async); }

/* cuMemFree of stream-ordered memory */
static int free_async_now(const world* w, job* j) { GONE(w->cu.cuMemFree_v2(j->async), async); }

static int create_block(const world* w, job* j) {
  struct allocation want = {.type = ALLOCATION_PINNED, .location = {LOCATION_DEVICE, w->device}};
  return w->cu.cuMemCreate(&j->block, LARGE, &want, 0);
}

static int block_and_range(const world* w, job* j) {
  TRY(w->cu.cuMemAddressReserve(&j->range, LARGE, 0, 0, 0));
  return create_block(w, j);
}

static int map_block(const world* w, job* j) {
  TRY(w->cu.cuMemMap(j->range, LARGE, 0, j->block, 0));
  j->mapped = true;
  struct access access = {{LOCATION_DEVICE, w->device}, READ_WRITE};
  return w->cu.cuMemSetAccess(j->range, LARGE, &access, 1);
}

static int mapped_block(const world* w, job* j) {
  TRY(block_and_range(w, j));
  return map_block(w, j);
}

static int unmap_block(const world* w, job* j) { GONE(w->cu.cuMemUnmap(j->range, LARGE), mapped); }

static int release_block(const world* w, job* j) { GONE(w->cu.cuMemRelease(j->block), block); }

static int load(const world* w, job* j) { return world_load(w, &j->module); }

static int find(const world* w, job* j) { return w->cu.cuModuleGetFunction(&j->function, j->module, "empty"); }

static int loaded(const world* w, job* j) {
  TRY(load(w, j));
  return find(w, j);
}

static int launch_on(const world* w, job* j, void* stream) { return world_launch(w, j->function, stream, NULL); }

static int launch(const world* w, job* j) { return launch_on(w, j, w->other); }

static int launched(const world* w, job* j) {
  TRY(loaded(w, j));
  TRY(launch(w, j));
  return world_drain(w, w->other);
}

static int launched_and_blocking(const world* w, job* j) {
  TRY(launched(w, j));
  return blocking_stream(w, j);
}

static int unload(const world* w, job* j) { GONE(w->cu.cuModuleUnload(j->module), module); }

static int destroy_own(const world* w, job* j) { GONE(w->cu.cuStreamDestroy_v2(j->stream), stream); }

static int destroy_event(const world* w, job* j) { GONE(w->cu.cuEventDestroy_v2(j->event), event); }

static int recorded(const world* w, job* j) {
  TRY(event(w, j));
  TRY(w->cu.cuEventRecord(j->event, w->other));
  return world_drain(w, w->other);
}

static int record_held(const world* w, job* j) { return w->cu.cuEventRecord(j->event, w->held); }

static int query_held_event(const world* w, job* j) {
  TRY(record_held(w, j));
  return w->cu.cuEventQuery(j->event);
}

static int wait_held_event(const world* w, job* j) {
  TRY(record_held(w, j));
  return w->cu.cuStreamWaitEvent(w->other, j->event, 0);
}

static int destroy_held_event(const world* w, job* j) {
  TRY(record_held(w, j));
  return destroy_event(w, j);
}

static int used_own(const world* w, job* j) {
  TRY(own_stream(w, j));
  TRY(w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, SMALL, j->stream));
  return world_drain(w, j->stream);
}

static int capture(const world* w, job* j) {
  TRY(w->cu.cuStreamBeginCapture_v2(j->stream, CAPTURE_RELAXED));
  int copied = w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, SMALL, j->stream);
  int ended = w->cu.cuStreamEndCapture(j->stream, &j->graph);
  return copied != 0 ? copied : ended;
}

static int captured(const world* w, job* j) {
  TRY(own_stream(w, j));
  return capture(w, j);
}

static int instantiate(const world* w, job* j) { return w->cu.cuGraphInstantiateWithFlags(&j->exec, j->graph, 0); }

static int instantiated(const world* w, job* j) {
  TRY(captured(w, j));
  return instantiate(w, j);
}

static void no_function(void* data) { (void)data; }

static int context_again(const world* w, job* j) {
  (void)j;
  void* context = NULL;
  TRY(w->cu.cuDevicePrimaryCtxRetain(&context, w->device));
  return w->cu.cuDevicePrimaryCtxRelease_v2(w->device);
}

static int exchange_mode(const world* w, job* j) {
  (void)j;
  int mode = CAPTURE_RELAXED;
  TRY(w->cu.cuThreadExchangeStreamCaptureMode(&mode));
  return w->cu.cuThreadExchangeStreamCaptureMode(&mode);
}

static int legacy_then_blocking(const world* w, job* j) {
  TRY(w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, SMALL, NULL));
  return w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, SMALL, j->stream);
}

/* Calls that are one expression. */
#define MAKE(name, expression)                  \
  static int name(const world* w, job* j) {     \
    (void)j;                                    \
    return expression;                          \
  }

#define WORD(index) ((address)world_word(w, index))

MAKE(register_page, pin(w, j, 4096))
MAKE(register_pages, pin(w, j, LARGE))
MAKE(alloc_managed, w->cu.cuMemAllocManaged(&j->memory, SMALL, ATTACH_GLOBAL))
MAKE(alloc_async, w->cu.cuMemAllocAsync(&j->async, SMALL, w->other))
MAKE(alloc_async_large, w->cu.cuMemAllocAsync(&j->async, LARGE, w->other))
MAKE(host_pointer, w->cu.cuMemHostGetDevicePointer_v2(&(address){0}, w->pinned, 0))
MAKE(memory_info, w->cu.cuMemGetInfo_v2(&(size_t){0}, &(size_t){0}))
MAKE(pointer_kind, w->cu.cuPointerGetAttribute(&(unsigned){0}, POINTER_KIND, w->memory))
MAKE(ipc_handle, w->cu.cuIpcGetMemHandle(&(struct ipc_handle){{0}}, w->memory))
MAKE(dma_buf, w->cu.cuMemGetHandleForAddressRange(&j->fd, w->memory, LARGE, DMA_BUF, 0))
MAKE(flush, w->cu.cuFlushGPUDirectRDMAWrites(0, FLUSH_OWNER))
MAKE(function_attribute, w->cu.cuFuncGetAttribute(&(int){0}, FUNCTION_REGISTERS, j->function))
MAKE(occupancy, w->cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&(int){0}, j->function, 32, 0))
MAKE(launch_held, launch_on(w, j, w->held))
MAKE(launch_legacy, launch_on(w, j, NULL))
MAKE(launch_per_thread, launch_on(w, j, PER_THREAD_STREAM))
MAKE(launch_own, launch_on(w, j, j->stream))
MAKE(htod_pinned, w->cu.cuMemcpyHtoDAsync_v2(w->memory, w->pinned, SMALL, w->other))
MAKE(htod_pinned_large, w->cu.cuMemcpyHtoDAsync_v2(w->memory, w->pinned, LARGE, w->other))
MAKE(htod_pageable, w->cu.cuMemcpyHtoDAsync_v2(w->memory, w->pageable, SMALL, w->other))
MAKE(htod_pageable_large, w->cu.cuMemcpyHtoDAsync_v2(w->memory, w->pageable, LARGE, w->other))
MAKE(htod_held, w->cu.cuMemcpyHtoDAsync_v2(w->memory, w->pinned, SMALL, w->held))
MAKE(htod_pageable_held, w->cu.cuMemcpyHtoDAsync_v2(w->memory, w->pageable, SMALL, w->held))
MAKE(htod_legacy, w->cu.cuMemcpyHtoDAsync_v2(w->memory, w->pinned, SMALL, NULL))
MAKE(htod_per_thread, w->cu.cuMemcpyHtoDAsync_v2(w->memory, w->pinned, SMALL, PER_THREAD_STREAM))
MAKE(htod_now, w->cu.cuMemcpyHtoD_v2(w->memory, w->pinned, SMALL))
MAKE(htod_now_pageable, w->cu.cuMemcpyHtoD_v2(w->memory, w->pageable, SMALL))
MAKE(dtoh_pinned, w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, SMALL, w->other))
MAKE(dtoh_pinned_large, w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, LARGE, w->other))
MAKE(dtoh_pageable, w->cu.cuMemcpyDtoHAsync_v2(w->pageable, w->memory, SMALL, w->other))
MAKE(dtoh_pageable_large, w->cu.cuMemcpyDtoHAsync_v2(w->pageable, w->memory, LARGE, w->other))
MAKE(dtoh_held, w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, SMALL, w->held))
MAKE(dtoh_pageable_held, w->cu.cuMemcpyDtoHAsync_v2(w->pageable, w->memory, SMALL, w->held))
MAKE(dtoh_now, w->cu.cuMemcpyDtoH_v2(w->pinned, w->memory, SMALL))
MAKE(dtod, w->cu.cuMemcpyDtoDAsync_v2(w->memory, w->memory + MIB, SMALL, w->other))
MAKE(dtod_large, w->cu.cuMemcpyDtoDAsync_v2(w->memory, w->memory + LARGE / 2, LARGE / 2, w->other))
MAKE(any_to_any, w->cu.cuMemcpyAsync(w->memory, (address)w->pinned, SMALL, w->other))
MAKE(peer, w->cu.cuMemcpyPeerAsync(w->memory, w->context, w->memory + MIB, w->context, SMALL, w->other))
MAKE(fill, w->cu.cuMemsetD8Async(w->memory, 1, SMALL, w->other))
MAKE(fill_large, w->cu.cuMemsetD8Async(w->memory, 1, LARGE, w->other))
MAKE(fill_words, w->cu.cuMemsetD32Async(w->memory, 1, SMALL / 4, w->other))
MAKE(fill_now, w->cu.cuMemsetD8_v2(w->memory, 1, SMALL))
MAKE(stream_create, w->cu.cuStreamCreate(&j->stream, NON_BLOCKING))
MAKE(stream_create_blocking, w->cu.cuStreamCreate(&j->stream, 0))
MAKE(stream_create_greatest, w->cu.cuStreamCreateWithPriority(&j->stream, NON_BLOCKING, w->greatest))
MAKE(stream_destroy_held, w->cu.cuStreamDestroy_v2(w->held))
MAKE(stream_query, w->cu.cuStreamQuery(w->other))
MAKE(stream_query_held, w->cu.cuStreamQuery(w->held))
MAKE(stream_query_legacy, w->cu.cuStreamQuery(NULL))
MAKE(stream_query_per_thread, w->cu.cuStreamQuery(PER_THREAD_STREAM))
MAKE(stream_synchronize, w->cu.cuStreamSynchronize(w->other))
MAKE(stream_synchronize_held, w->cu.cuStreamSynchronize(w->held))
MAKE(stream_synchronize_legacy, w->cu.cuStreamSynchronize(NULL))
MAKE(stream_capturing, w->cu.cuStreamIsCapturing(w->other, &(int){0}))
MAKE(stream_capturing_held, w->cu.cuStreamIsCapturing(w->held, &(int){0}))
MAKE(stream_context, w->cu.cuStreamGetCtx(w->other, &(void*){NULL}))
MAKE(stream_priority, w->cu.cuStreamGetPriority(w->other, &(int){0}))
MAKE(stream_wait_event, w->cu.cuStreamWaitEvent(w->other, j->event, 0))
MAKE(wait_value_32, w->cu.cuStreamWaitValue32_v2(w->other, WORD(2), 0, LEAST_VALUE))
MAKE(wait_value_64, w->cu.cuStreamWaitValue64_v2(w->other, WORD(2), 0, LEAST_VALUE))
MAKE(wait_value_64_held, w->cu.cuStreamWaitValue64_v2(w->held, WORD(2), 0, LEAST_VALUE))
MAKE(write_value_32, w->cu.cuStreamWriteValue32_v2(w->other, WORD(3), 1, 0))
MAKE(write_value_64, w->cu.cuStreamWriteValue64_v2(w->other, WORD(3), 1, 0))
MAKE(write_value_64_held, w->cu.cuStreamWriteValue64_v2(w->held, WORD(3), 1, 0))
MAKE(write_value_64_legacy, w->cu.cuStreamWriteValue64_v2(NULL, WORD(3), 1, 0))
MAKE(host_function, w->cu.cuLaunchHostFunc(w->other, no_function, NULL))
MAKE(host_function_held, w->cu.cuLaunchHostFunc(w->held, no_function, NULL))
MAKE(event_create, w->cu.cuEventCreate(&j->event, NO_TIMING))
MAKE(event_create_timing, w->cu.cuEventCreate(&j->event, 0))
MAKE(event_record, w->cu.cuEventRecord(j->event, w->other))
MAKE(event_record_legacy, w->cu.cuEventRecord(j->event, NULL))
MAKE(event_query, w->cu.cuEventQuery(j->event))
MAKE(event_synchronize, w->cu.cuEventSynchronize(j->event))
MAKE(context_synchronize, w->cu.cuCtxSynchronize())
MAKE(context_current, w->cu.cuCtxSetCurrent(w->context))
MAKE(priority_range, w->cu.cuCtxGetStreamPriorityRange(&(int){0}, &(int){0}))
MAKE(device_attribute, w->cu.cuDeviceGetAttribute(&(int){0}, ATTRIBUTE_64_BIT, w->device))
MAKE(graph_launch, w->cu.cuGraphLaunch(j->exec, w->other))

#define FIRST true
#define PLAIN false

const call CALLS[] = {
    {"alloc_small", nothing, small, NOWHERE, FIRST, false},
    {"alloc_large", nothing, large, NOWHERE, PLAIN, false},
    {"alloc_managed", nothing, alloc_managed, NOWHERE, FIRST, false},
    {"alloc_async", nothing, alloc_async, OTHER, FIRST, false},
    {"alloc_async_large", nothing, alloc_async_large, OTHER, FIRST, false},
    {"free_small", small, free_memory, NOWHERE, PLAIN, false},
    {"free_large", large, free_memory, NOWHERE, PLAIN, false},
    {"free_managed", alloc_managed, free_memory, NOWHERE, PLAIN, false},
    {"free_async", async, free_async, OTHER, FIRST, false},
    {"free_async_now", async, free_async_now, NOWHERE, PLAIN, false},
    {"host_alloc_small", nothing, small_host, NOWHERE, FIRST, false},
    {"host_alloc_large", nothing, large_host, NOWHERE, PLAIN, false},
    {"host_free_small", small_host, free_host, NOWHERE, PLAIN, false},
    {"host_free_large", large_host, free_host, NOWHERE, PLAIN, false},
    {"register_page", pages, register_page, NOWHERE, FIRST, false},
    {"register_large", pages, register_pages, NOWHERE, PLAIN, false},
    {"unregister_page", pinned_page, unpin, NOWHERE, PLAIN, false},
    {"unregister_large", pinned_pages, unpin, NOWHERE, PLAIN, false},
    {"block_create", nothing, create_block, NOWHERE, PLAIN, false},
    {"block_map", block_and_range, map_block, NOWHERE, PLAIN, false},
    {"block_unmap", mapped_block, unmap_block, NOWHERE, PLAIN, false},
    {"block_release", create_block, release_block, NOWHERE, PLAIN, false},
    {"module_load", nothing, load, NOWHERE, FIRST, false},
    {"function_find", load, find, NOWHERE, FIRST, false},
    {"function_attribute", loaded, function_attribute, NOWHERE, FIRST, false},
    {"occupancy", loaded, occupancy, NOWHERE, FIRST, false},
    {"launch_first", loaded, launch, OTHER, FIRST, false},
    {"launch_again", launched, launch, OTHER, FIRST, false},
    {"launch_held", launched, launch_held, HELD, PLAIN, false},
    {"launch_legacy", launched, launch_legacy, LEGACY, FIRST, false},
    {"launch_per_thread", launched, launch_per_thread, PER_THREAD, FIRST, false},
    {"launch_blocking", launched_and_blocking, launch_own, OWN, FIRST, false},
    {"module_unload", launched, unload, NOWHERE, PLAIN, false},
    {"module_unload_unused", load, unload, NOWHERE, PLAIN, false},
    {"htod_pinned", nothing, htod_pinned, OTHER, FIRST, false},
    {"htod_pinned_large", nothing, htod_pinned_large, OTHER, FIRST, false},
    {"htod_pageable", nothing, htod_pageable, OTHER, FIRST, false},
    {"htod_pageable_large", nothing, htod_pageable_large, OTHER, FIRST, false},
    {"htod_held", nothing, htod_held, HELD, PLAIN, false},
    {"htod_pageable_held", nothing, htod_pageable_held, HELD, PLAIN, false},
    {"htod_legacy", nothing, htod_legacy, LEGACY, FIRST, false},
    {"htod_per_thread", nothing, htod_per_thread, PER_THREAD, FIRST, false},
    {"htod_now", nothing, htod_now, LEGACY, FIRST, false},
    {"htod_now_pageable", nothing, htod_now_pageable, LEGACY, FIRST, false},
    {"dtoh_pinned", nothing, dtoh_pinned, OTHER, FIRST, false},
    {"dtoh_pinned_large", nothing, dtoh_pinned_large, OTHER, FIRST, false},
    {"dtoh_pageable", nothing, dtoh_pageable, OTHER, FIRST, false},
    {"dtoh_pageable_large", nothing, dtoh_pageable_large, OTHER, FIRST, false},
    {"dtoh_held", nothing, dtoh_held, HELD, PLAIN, false},
    {"dtoh_pageable_held", nothing, dtoh_pageable_held, HELD, PLAIN, false},
    {"dtoh_now", nothing, dtoh_now, LEGACY, FIRST, false},
    {"dtod", nothing, dtod, OTHER, FIRST, false},
    {"dtod_large", nothing, dtod_large, OTHER, FIRST, false},
    {"copy_any", nothing, any_to_any, OTHER, FIRST, false},
    {"copy_peer", nothing, peer, OTHER, FIRST, false},
    {"fill", nothing, fill, OTHER, FIRST, false},
    {"fill_large", nothing, fill_large, OTHER, FIRST, false},
    {"fill_words", nothing, fill_words, OTHER, FIRST, false},
    {"fill_now", nothing, fill_now, LEGACY, FIRST, false},
    {"legacy_then_blocking", blocking_stream, legacy_then_blocking, OWN, FIRST, false},
    {"stream_create", nothing, stream_create, NOWHERE, FIRST, false},
    {"stream_create_blocking", nothing, stream_create_blocking, NOWHERE, FIRST, false},
    {"stream_create_greatest", nothing, stream_create_greatest, NOWHERE, FIRST, false},
    {"stream_destroy", used_own, destroy_own, NOWHERE, FIRST, false},
    {"stream_destroy_unused", own_stream, destroy_own, NOWHERE, FIRST, false},
    {"stream_destroy_held", nothing, stream_destroy_held, NOWHERE, PLAIN, true},
    {"stream_query", nothing, stream_query, NOWHERE, FIRST, false},
    {"stream_query_held", nothing, stream_query_held, NOWHERE, FIRST, false},
    {"stream_query_legacy", nothing, stream_query_legacy, NOWHERE, FIRST, false},
    {"stream_query_per_thread", nothing, stream_query_per_thread, NOWHERE, FIRST, false},
    {"stream_synchronize", nothing, stream_synchronize, NOWHERE, FIRST, false},
    {"stream_synchronize_held", nothing, stream_synchronize_held, NOWHERE, PLAIN, false},
    {"stream_synchronize_legacy", nothing, stream_synchronize_legacy, NOWHERE, PLAIN, false},
    {"stream_capturing", nothing, stream_capturing, NOWHERE, FIRST, false},
    {"stream_capturing_held", nothing, stream_capturing_held, NOWHERE, FIRST, false},
    {"stream_context", nothing, stream_context, NOWHERE, FIRST, false},
    {"stream_priority", nothing, stream_priority, NOWHERE, FIRST, false},
    {"stream_wait_event", recorded, stream_wait_event, OTHER, FIRST, false},
    {"stream_wait_event_held", event, wait_held_event, OTHER, PLAIN, false},
    {"wait_value_32", nothing, wait_value_32, OTHER, FIRST, false},
    {"wait_value_64", nothing, wait_value_64, OTHER, FIRST, false},
    {"wait_value_64_held", nothing, wait_value_64_held, HELD, PLAIN, false},
    {"write_value_32", nothing, write_value_32, OTHER, FIRST, false},
    {"write_value_64", nothing, write_value_64, OTHER, FIRST, false},
    {"write_value_64_held", nothing, write_value_64_held, HELD, PLAIN, false},
    {"write_value_64_legacy", nothing, write_value_64_legacy, LEGACY, FIRST, false},
    {"host_function", nothing, host_function, OTHER, FIRST, false},
    {"host_function_held", nothing, host_function_held, HELD, PLAIN, false},
    {"event_create", nothing, event_create, NOWHERE, FIRST, false},
    {"event_create_timing", nothing, event_create_timing, NOWHERE, FIRST, false},
    {"event_record", event, event_record, OTHER, FIRST, false},
    {"event_record_held", event, record_held, HELD, PLAIN, false},
    {"event_record_legacy", event, event_record_legacy, LEGACY, FIRST, false},
    {"event_query", recorded, event_query, NOWHERE, FIRST, false},
    {"event_query_held", event, query_held_event, NOWHERE, FIRST, false},
    {"event_synchronize", recorded, event_synchronize, NOWHERE, FIRST, false},
    {"event_destroy", recorded, destroy_event, NOWHERE, FIRST, false},
    {"event_destroy_held", event, destroy_held_event, NOWHERE, FIRST, false},
    {"memory_info", nothing, memory_info, NOWHERE, FIRST, false},
    {"host_pointer", nothing, host_pointer, NOWHERE, FIRST, false},
    {"pointer_kind", nothing, pointer_kind, NOWHERE, FIRST, false},
    {"ipc_handle", nothing, ipc_handle, NOWHERE, FIRST, false},
    {"dma_buf", nothing, dma_buf, NOWHERE, FIRST, false},
    {"flush", nothing, flush, NOWHERE, FIRST, false},
    {"device_attribute", nothing, device_attribute, NOWHERE, FIRST, false},
    {"context_current", nothing, context_current, NOWHERE, FIRST, false},
    {"context_again", nothing, context_again, NOWHERE, FIRST, false},
    {"context_synchronize", nothing, context_synchronize, NOWHERE, PLAIN, false},
    {"priority_range", nothing, priority_range, NOWHERE, FIRST, false},
    {"capture_mode", nothing, exchange_mode, NOWHERE, FIRST, false},
    {"capture", own_stream, capture, NOWHERE, FIRST, false},
    {"graph_instantiate", captured, instantiate, NOWHERE, FIRST, false},
    {"graph_launch", instantiated, graph_launch, OTHER, FIRST, false},
};

int call_count(void) { return sizeof CALLS / sizeof *CALLS; }

const call* call_named(const char* name) {
  for (int i = 0; i < call_count(); i++) {
    if (strcmp(CALLS[i].name, name) == 0) {
      return &CALLS[i];
    }
  }
  fprintf(stderr, "no call %s\n", name);
  _exit(1);
}

job call_job(void) { return (job){.fd = -1}; }

void* call_stream(const world* w, const job* j, where work) {
  switch (work) {
    case OTHER: return w->other;
    case HELD: return w->held;
    case PER_THREAD: return PER_THREAD_STREAM;
    case OWN: return j->stream;
    default: return NULL;
  }
}

/* Answers are not looked at: what went wrong before is what is asked about. */
void call_clear(const world* w, job* j) {
  if (j->exec != NULL) (void)w->cu.cuGraphExecDestroy(j->exec);
  if (j->graph != NULL) (void)w->cu.cuGraphDestroy(j->graph);
  if (j->event != NULL) (void)w->cu.cuEventDestroy_v2(j->event);
  if (j->stream != NULL) (void)w->cu.cuStreamDestroy_v2(j->stream);
  if (j->module != NULL) (void)w->cu.cuModuleUnload(j->module);
  if (j->mapped) (void)w->cu.cuMemUnmap(j->range, LARGE);
  if (j->block != 0) (void)w->cu.cuMemRelease(j->block);
  if (j->range != 0) (void)w->cu.cuMemAddressFree(j->range, LARGE);
  if (j->async != 0) (void)w->cu.cuMemFree_v2(j->async);
  if (j->memory != 0) (void)w->cu.cuMemFree_v2(j->memory);
  if (j->host != NULL) (void)w->cu.cuMemFreeHost(j->host);
  if (j->registered) (void)w->cu.cuMemHostUnregister(j->pages);
  if (j->pages != NULL) (void)munmap(j->pages, LARGE);
  if (j->fd >= 0) (void)close(j->fd);
  *j = call_job();
}
