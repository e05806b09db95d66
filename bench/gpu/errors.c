// SPDX-License-Identifier: Apache-2.0
/* Section errors: what wrong calls answer, each in a process of its own, as some end the context or the process. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sections.h"
#include "world.h"

enum { NAME = 128, PATIENCE_MS = 300, FLUSH = 1 << 30, EQUAL = 1, AND = 2, NOR = 3, PAGE = 4096, MANY = 1 << 20, TEXT = 24 };

static int stream(const world* w, void** made) { return w->cu.cuStreamCreate(made, NON_BLOCKING); }

/* Whether all work of a stream ends in time: "passes", "waits", or its error. */
static void say_end(const world* w, const char* name, const char* fact, void* on) {
  int code = NOT_READY;
  for (int64_t from = now_ns(); code == NOT_READY && now_ns() - from < PATIENCE_MS * INT64_C(1000000); rest_us(50)) {
    code = w->cu.cuStreamQuery(on);
  }
  char text[TEXT];
  say(name, fact, code == 0 ? "passes" : code == NOT_READY ? "waits" : code_text(code, text), "%s", driver_error(&w->cu, code));
}

/* A wait for a word at `at`, 64 bits wide or 32; then, if it was accepted, whether it passes although the word is 0. */
static void wait_at(const world* w, const char* name, bool wide, address at, unsigned how, uint64_t value) {
  void* on = NULL;
  world_need(w, stream(w, &on), "cuStreamCreate");
  int code = wide ? w->cu.cuStreamWaitValue64_v2(on, at, value, how) : w->cu.cuStreamWaitValue32_v2(on, at, (uint32_t)value, how);
  say_code(w, name, "", code);
  if (code == 0) {
    say_end(w, name, "at_once", on);
  }
}

/* The same; then, once another has written the word, whether it passes. */
static void wait_and_write(const world* w, const char* name, address at, volatile uint64_t* host) {
  void* on = NULL;
  void* writer = NULL;
  world_need(w, stream(w, &on), "cuStreamCreate");
  world_need(w, w->cu.cuStreamCreateWithPriority(&writer, NON_BLOCKING, w->greatest), "cuStreamCreateWithPriority");
  int code = w->cu.cuStreamWaitValue64_v2(on, at, 1, LEAST_VALUE);
  say_code(w, name, "", code);
  if (code != 0) {
    return;
  }
  say_end(w, name, "at_once", on);
  if (host != NULL) {
    *host = 1;
  } else {
    say_code(w, name, "write", w->cu.cuStreamWriteValue64_v2(writer, at, 1, 0));
  }
  say_end(w, name, "written", on);
}

static void write_at(const world* w, const char* name, address at) {
  void* on = NULL;
  world_need(w, stream(w, &on), "cuStreamCreate");
  int code = w->cu.cuStreamWriteValue64_v2(on, at, 1, 0);
  say_code(w, name, "", code);
  if (code == 0) {
    say_end(w, name, "at_once", on);
  }
}

static uint64_t* pages(size_t bytes) {
  void* found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) {
    exit(1);
  }
  return found;
}

static address word(const world* w) { return (address)w->words; }

static address of_device(const world* w) {
  world_need(w, w->cu.cuMemsetD8Async(w->memory, 0, SMALL, NULL), "cuMemsetD8Async");
  while (w->cu.cuStreamQuery(NULL) == NOT_READY) {
    rest_us(50);
  }
  return w->memory;
}

static void* registered(const world* w, size_t bytes) {
  void* found = pages(bytes);
  world_need(w, w->cu.cuMemHostRegister_v2(found, bytes, PORTABLE_MAPPED), "cuMemHostRegister_v2");
  return found;
}

static void wait_managed(world* w, const char* name) {
  address at = 0;
  world_need(w, w->cu.cuMemAllocManaged(&at, PAGE, 1), "cuMemAllocManaged");
  *(volatile uint64_t*)at = 0;
  wait_and_write(w, name, at, NULL);
}

static void wait_registered(world* w, const char* name) {
  uint64_t* at = registered(w, PAGE);
  wait_and_write(w, name, (address)at, at);
}

/* "At least" is of signed differences: is 2^64 - 1 at least 1, and is 2^63 + 2? */
static void wait_cyclic(world* w, const char* name) {
  atomic_store(w->words, UINT64_MAX);
  wait_at(w, name, true, word(w), LEAST_VALUE, 1);
}

static void wait_far(world* w, const char* name) {
  atomic_store(w->words, (UINT64_C(1) << 63) + 2);
  wait_at(w, name, true, word(w), LEAST_VALUE, 1);
}

/* An asynchronous call's answer, and how the stream ends. */
static void say_queued(const world* w, const char* name, int code, void* on) {
  say_code(w, name, "", code);
  if (code == 0) {
    say_end(w, name, "end", on);
  }
}

static void copy(const world* w, const char* name, address to, address from, size_t bytes) {
  void* on = NULL;
  world_need(w, stream(w, &on), "cuStreamCreate");
  say_queued(w, name, w->cu.cuMemcpyDtoDAsync_v2(to, from, bytes, on), on);
}

static void to_device(const world* w, const char* name, address to, const void* from, size_t bytes) {
  void* on = NULL;
  world_need(w, stream(w, &on), "cuStreamCreate");
  say_queued(w, name, w->cu.cuMemcpyHtoDAsync_v2(to, from, bytes, on), on);
}

static void to_host(const world* w, const char* name, void* to, address from, size_t bytes) {
  void* on = NULL;
  world_need(w, stream(w, &on), "cuStreamCreate");
  say_queued(w, name, w->cu.cuMemcpyDtoHAsync_v2(to, from, bytes, on), on);
}

static void* function(world* w, const char* name, const char* of) {
  void* found = NULL;
  int code = world_kernels(w);
  if (code != 0) {
    say_code(w, name, "", code);
    return NULL;
  }
  world_need(w, w->cu.cuModuleGetFunction(&found, w->module, of), "cuModuleGetFunction");
  return found;
}

static void launch_shape(world* w, const char* name, unsigned blocks, unsigned threads) {
  void* empty = function(w, name, "empty");
  void* on = NULL;
  if (empty != NULL) {
    world_need(w, stream(w, &on), "cuStreamCreate");
    say_queued(w, name, w->cu.cuLaunchKernel(empty, blocks, 1, 1, threads, 1, 1, 0, on, NULL, NULL), on);
  }
}

static void launch_unloaded(world* w, const char* name) {
  void* empty = function(w, name, "empty");
  void* on = NULL;
  if (empty != NULL) {
    world_need(w, stream(w, &on), "cuStreamCreate");
    world_need(w, w->cu.cuModuleUnload(w->module), "cuModuleUnload");
    say_queued(w, name, world_launch(w, empty, on, NULL), on);
  }
}

/* A kernel that writes to address 0, and what other calls answer after it. */
static void launch_fault(world* w, const char* name) {
  void* fault = function(w, name, "fault");
  void* on = NULL;
  if (fault == NULL) {
    return;
  }
  void* event = NULL;
  world_need(w, w->cu.cuEventCreate(&event, NO_TIMING), "cuEventCreate");
  world_need(w, stream(w, &on), "cuStreamCreate");
  say_queued(w, name, world_launch(w, fault, on, NULL), on);
  address more = 0;
  say_code(w, name, "alloc", w->cu.cuMemAlloc_v2(&more, SMALL));
  say_code(w, name, "free", w->cu.cuMemFree_v2(w->memory));
  say_code(w, name, "record", w->cu.cuEventRecord(event, on));
  say_code(w, name, "event_query", w->cu.cuEventQuery(event));
  say_code(w, name, "legacy_query", w->cu.cuStreamQuery(NULL));
  say_code(w, name, "stream_create", w->cu.cuStreamCreate(&(void*){NULL}, NON_BLOCKING));
  say_code(w, name, "stream_destroy", w->cu.cuStreamDestroy_v2(on));
  say_code(w, name, "host_free", w->cu.cuMemFreeHost(w->pinned));
  say_code(w, name, "release_context", w->cu.cuDevicePrimaryCtxRelease_v2(w->device));
}

static void* destroyed(const world* w) {
  void* gone = NULL;
  world_need(w, stream(w, &gone), "cuStreamCreate");
  world_need(w, w->cu.cuStreamDestroy_v2(gone), "cuStreamDestroy_v2");
  return gone;
}

static void free_twice(world* w, const char* name) {
  address at = 0;
  world_need(w, w->cu.cuMemAlloc_v2(&at, LARGE), "cuMemAlloc_v2");
  world_need(w, w->cu.cuMemFree_v2(at), "cuMemFree_v2");
  say_code(w, name, "", w->cu.cuMemFree_v2(at));
}

static void copy_freed(world* w, const char* name) {
  address at = 0;
  world_need(w, w->cu.cuMemAlloc_v2(&at, LARGE), "cuMemAlloc_v2");
  world_need(w, w->cu.cuMemFree_v2(at), "cuMemFree_v2");
  copy(w, name, at, w->memory, SMALL);
}

static void register_twice(world* w, const char* name) {
  void* at = registered(w, PAGE);
  say_code(w, name, "", w->cu.cuMemHostRegister_v2(at, PAGE, PORTABLE_MAPPED));
}

static void register_overlap(world* w, const char* name) {
  char* at = registered(w, 2 * (size_t)PAGE);
  say_code(w, name, "", w->cu.cuMemHostRegister_v2(at + PAGE, PAGE, PORTABLE_MAPPED));
}

static void event_unrecorded(world* w, const char* name) {
  void* event = NULL;
  world_need(w, w->cu.cuEventCreate(&event, NO_TIMING), "cuEventCreate");
  say_code(w, name, "", w->cu.cuEventQuery(event));
}

#define CASE(name, statement)                                \
  static void name(world* w, const char* label) { statement; }

CASE(wait64_aligned, wait_and_write(w, label, word(w), (volatile uint64_t*)w->words))
CASE(wait64_by_stream, wait_and_write(w, label, word(w), NULL))
CASE(wait64_off_by_4, wait_at(w, label, true, word(w) + 4, LEAST_VALUE, 1))
CASE(wait64_off_by_1, wait_at(w, label, true, word(w) + 1, LEAST_VALUE, 1))
CASE(wait32_aligned, wait_at(w, label, false, word(w), LEAST_VALUE, 1))
CASE(wait32_off_by_4, wait_at(w, label, false, word(w) + 4, LEAST_VALUE, 1))
CASE(wait32_off_by_2, wait_at(w, label, false, word(w) + 2, LEAST_VALUE, 1))
CASE(wait64_unregistered, wait_at(w, label, true, (address)pages(PAGE), LEAST_VALUE, 1))
CASE(wait64_null, wait_at(w, label, true, 0, LEAST_VALUE, 1))
CASE(wait64_device, wait_and_write(w, label, of_device(w), NULL))
CASE(wait64_flush, wait_at(w, label, true, word(w), FLUSH, 0))
CASE(wait64_equal, wait_at(w, label, true, word(w), EQUAL, 0))
CASE(wait64_and, wait_at(w, label, true, word(w), AND, 1))
CASE(wait64_nor, wait_at(w, label, true, word(w), NOR, 1))
CASE(wait64_flags, wait_at(w, label, true, word(w), 1 << 10, 1))
CASE(wait64_legacy, say_code(w, label, "", w->cu.cuStreamWaitValue64_v2(NULL, word(w), 0, LEAST_VALUE)))
CASE(write64_off_by_4, write_at(w, label, word(w) + 4))
CASE(write64_unregistered, write_at(w, label, (address)pages(PAGE)))
CASE(write64_device, write_at(w, label, of_device(w)))
CASE(htod_to_pinned, to_device(w, label, (address)w->pinned, w->pageable, SMALL))
CASE(htod_to_pageable, to_device(w, label, (address)w->pageable, w->pinned, SMALL))
CASE(htod_from_device, to_device(w, label, w->memory, (void*)(w->memory + MIB), SMALL))
CASE(htod_too_long, to_device(w, label, w->memory, w->pinned, (size_t)LARGE + MIB))
CASE(htod_nothing, to_device(w, label, w->memory, w->pinned, 0))
CASE(htod_null, to_device(w, label, 0, w->pinned, SMALL))
CASE(dtoh_to_device, to_host(w, label, (void*)w->memory, w->memory + MIB, SMALL))
CASE(dtoh_from_pinned, to_host(w, label, w->pinned, (address)w->pinned + MIB, SMALL))
CASE(dtoh_from_pageable, to_host(w, label, w->pinned, (address)w->pageable, SMALL))
CASE(dtod_from_pinned, copy(w, label, w->memory, (address)w->pinned, SMALL))
CASE(dtod_from_pageable, copy(w, label, w->memory, (address)w->pageable, SMALL))
CASE(dtod_overlap, copy(w, label, w->memory, w->memory + 8, SMALL))
CASE(alloc_nothing, say_code(w, label, "", w->cu.cuMemAlloc_v2(&(address){0}, 0)))
CASE(alloc_too_much, say_code(w, label, "", w->cu.cuMemAlloc_v2(&(address){0}, (size_t)MANY * MANY)))
CASE(host_alloc_nothing, say_code(w, label, "", w->cu.cuMemHostAlloc(&(void*){NULL}, 0, PORTABLE_MAPPED)))
CASE(free_null, say_code(w, label, "", w->cu.cuMemFree_v2(0)))
CASE(free_inside, say_code(w, label, "", w->cu.cuMemFree_v2(w->memory + MIB)))
CASE(free_pinned, say_code(w, label, "", w->cu.cuMemFree_v2((address)w->pinned)))
CASE(host_free_device, say_code(w, label, "", w->cu.cuMemFreeHost((void*)w->memory)))
CASE(host_free_pageable, say_code(w, label, "", w->cu.cuMemFreeHost(w->pageable)))
CASE(host_free_registered, say_code(w, label, "", w->cu.cuMemFreeHost(registered(w, PAGE))))
CASE(register_pinned, say_code(w, label, "", w->cu.cuMemHostRegister_v2(w->pinned, PAGE, PORTABLE_MAPPED)))
CASE(register_odd, say_code(w, label, "", w->cu.cuMemHostRegister_v2((char*)pages(2 * PAGE) + 8, 24, PORTABLE_MAPPED)))
CASE(register_unmapped, say_code(w, label, "", w->cu.cuMemHostRegister_v2((void*)PAGE, PAGE, PORTABLE_MAPPED)))
CASE(unregister_unknown, say_code(w, label, "", w->cu.cuMemHostUnregister(w->pageable)))
CASE(unregister_pinned, say_code(w, label, "", w->cu.cuMemHostUnregister(w->pinned)))
CASE(launch_no_blocks, launch_shape(w, label, 0, 1))
CASE(launch_no_threads, launch_shape(w, label, 1, 0))
CASE(launch_many_threads, launch_shape(w, label, 1, 2048))
CASE(function_unknown, function(w, label, "spin") == NULL ? (void)0 : say_code(w, label, "", w->cu.cuModuleGetFunction(&(void*){NULL}, w->module, "none")))
CASE(module_nonsense, say_code(w, label, "", w->cu.cuModuleLoadData(&(void*){NULL}, "nonsense")))
CASE(pointer_unknown, say_code(w, label, "", w->cu.cuPointerGetAttribute(&(unsigned){0}, 2, (address)w->pageable)))
CASE(pointer_ordinal_pinned, say_code(w, label, "", w->cu.cuPointerGetAttribute(&(int){0}, 9, (address)w->pinned)))
CASE(dma_buf_odd, say_code(w, label, "", w->cu.cuMemGetHandleForAddressRange(&(int){0}, w->memory + 8, 24, DMA_BUF, 0)))
CASE(dma_buf_pinned, say_code(w, label, "", w->cu.cuMemGetHandleForAddressRange(&(int){0}, (address)w->pinned, LARGE, DMA_BUF, 0)))
CASE(ipc_inside, say_code(w, label, "", w->cu.cuIpcGetMemHandle(&(struct ipc_handle){{0}}, w->memory + MIB)))
CASE(ipc_pinned, say_code(w, label, "", w->cu.cuIpcGetMemHandle(&(struct ipc_handle){{0}}, (address)w->pinned)))
CASE(gone_query, say_code(w, label, "", w->cu.cuStreamQuery(destroyed(w))))
CASE(gone_destroy, say_code(w, label, "", w->cu.cuStreamDestroy_v2(destroyed(w))))
CASE(gone_copy, say_code(w, label, "", w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, SMALL, destroyed(w))))
CASE(gone_wait, say_code(w, label, "", w->cu.cuStreamWaitValue64_v2(destroyed(w), word(w), 0, LEAST_VALUE)))
CASE(priority_beyond, say_code(w, label, "", w->cu.cuStreamCreateWithPriority(&(void*){NULL}, NON_BLOCKING, w->greatest - 10)))
CASE(end_no_capture, say_code(w, label, "", w->cu.cuStreamEndCapture(NULL, &(void*){NULL})))

#define ROW(name) {#name, name}

static const struct { const char* name; void (*ask)(world* w, const char* name); } CASES[] = {
    ROW(wait64_aligned), ROW(wait64_by_stream), ROW(wait64_off_by_4), ROW(wait64_off_by_1), ROW(wait32_aligned),
    ROW(wait32_off_by_4), ROW(wait32_off_by_2), ROW(wait64_unregistered), ROW(wait64_null), ROW(wait64_device),
    ROW(wait_registered), ROW(wait_managed), ROW(wait64_flush), ROW(wait64_equal), ROW(wait64_and), ROW(wait64_nor),
    ROW(wait64_flags), ROW(wait64_legacy), ROW(wait_cyclic), ROW(wait_far), ROW(write64_off_by_4), ROW(write64_unregistered),
    ROW(write64_device), ROW(htod_to_pinned), ROW(htod_to_pageable), ROW(htod_from_device), ROW(htod_too_long),
    ROW(htod_nothing), ROW(htod_null), ROW(dtoh_to_device), ROW(dtoh_from_pinned), ROW(dtoh_from_pageable),
    ROW(dtod_from_pinned), ROW(dtod_from_pageable), ROW(dtod_overlap), ROW(copy_freed), ROW(alloc_nothing),
    ROW(alloc_too_much), ROW(host_alloc_nothing), ROW(free_null), ROW(free_inside), ROW(free_twice), ROW(free_pinned),
    ROW(host_free_device), ROW(host_free_pageable), ROW(host_free_registered), ROW(register_twice), ROW(register_overlap),
    ROW(register_pinned), ROW(register_odd), ROW(register_unmapped), ROW(unregister_unknown), ROW(unregister_pinned),
    ROW(event_unrecorded), ROW(launch_unloaded), ROW(launch_no_blocks), ROW(launch_no_threads), ROW(launch_many_threads),
    ROW(launch_fault), ROW(function_unknown), ROW(module_nonsense), ROW(pointer_unknown), ROW(pointer_ordinal_pinned),
    ROW(dma_buf_odd), ROW(dma_buf_pinned), ROW(ipc_inside), ROW(ipc_pinned), ROW(gone_query), ROW(gone_destroy),
    ROW(gone_copy), ROW(gone_wait), ROW(priority_beyond), ROW(end_no_capture),
};

int errors_count(const char* what) {
  (void)what;
  return sizeof CASES / sizeof *CASES;
}

void errors_run(const char* library, const char* what, span cases) {
  (void)what;
  for (int i = cases.from; i < cases.to; i++) {
    char name[NAME];
    (void)snprintf(name, sizeof name, "errors.%s", CASES[i].name);
    say_case(i, name);
    world w = world_open(library);
    CASES[i].ask(&w, name);
  }
}
