// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

enum { TEXT = 24, NUMBER = 16, START_MS = 300, DRAIN_MS = 2000, INVALID_PTX = 218 };

int64_t now_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void rest_us(long us) { (void)nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL); }

void say_case(int index, const char* name) {
  printf("@%d %s\n", index, name);
  (void)fflush(stdout);
}

void say(const char* name, const char* fact, const char* answer, const char* detail, ...) {
  printf("%s%s%s\t%s\t", name, *fact == '\0' ? "" : ".", fact, answer);
  va_list arguments;
  va_start(arguments, detail);
  (void)vprintf(detail, arguments);
  va_end(arguments);
  printf("\n");
  (void)fflush(stdout);
}

const char* code_text(int code, char* text) {
  if (code == 0 || code == NOT_READY) {
    return "returns";
  }
  if (code == ABSENT) {
    return "absent";
  }
  (void)snprintf(text, TEXT, "error %d", code);
  return text;
}

void say_code(const world* w, const char* name, const char* fact, int code) {
  char text[TEXT];
  say(name, fact, code_text(code, text), "%s", code == ABSENT ? "" : driver_error(&w->cu, code));
}

void world_need(const world* w, int code, const char* what) {
  if (code != 0) {
    fprintf(stderr, "%s: %d %s\n", what, code, code == ABSENT ? "absent" : driver_error(&w->cu, code));
    _exit(1);
  }
}

static int load_file(const world* w, void** module, const char* name) {
  static char code[MIB];
  FILE* from = fopen(name, "re");
  if (from == NULL || fread(code, 1, sizeof code - 1, from) == 0) {
    perror(name);
    _exit(1);
  }
  (void)fclose(from);
  return w->cu.cuModuleLoadData(module, code);
}

void world_print_kernels(void) { printf(KERNELS, 0U); }

int world_load(const world* w, void** module) {
  const char* file = getenv("HABITS_CODE");
  if (file != NULL) {
    return load_file(w, module, file);
  }
  char text[sizeof KERNELS + NUMBER];
  (void)snprintf(text, sizeof text, KERNELS, (unsigned)(now_ns() ^ (int64_t)getpid() << 20));
  int code = w->cu.cuModuleLoadData(module, text);
  return code == INVALID_PTX ? ABSENT : code;
}

int world_kernels(world* w) {
  if (w->module != NULL) {
    return 0;
  }
  int code = world_load(w, &w->module);
  return code != 0 ? code : w->cu.cuModuleGetFunction(&w->spin, w->module, "spin");
}

world world_open(const char* library) {
  world w = {.cu = driver_open(library)};
  world_need(&w, w.cu.cuInit(0), "cuInit");
  world_need(&w, w.cu.cuDeviceGet(&w.device, 0), "cuDeviceGet");
  world_need(&w, w.cu.cuDevicePrimaryCtxRetain(&w.context, w.device), "cuDevicePrimaryCtxRetain");
  world_need(&w, w.cu.cuCtxSetCurrent(w.context), "cuCtxSetCurrent");
  world_need(&w, w.cu.cuCtxGetStreamPriorityRange(&w.least, &w.greatest), "cuCtxGetStreamPriorityRange");
  void* words = NULL;
  void* pinned = NULL;
  world_need(&w, w.cu.cuMemHostAlloc(&words, WORDS * WORD_STEP, PORTABLE_MAPPED), "cuMemHostAlloc");
  world_need(&w, w.cu.cuMemHostAlloc(&pinned, LARGE, PORTABLE_MAPPED), "cuMemHostAlloc");
  world_need(&w, w.cu.cuMemAlloc_v2(&w.memory, LARGE), "cuMemAlloc_v2");
  memset(words, 0, WORDS * WORD_STEP);
  w.words = words;
  w.pinned = pinned;
  w.pageable = malloc(LARGE);
  if (w.pageable == NULL) {
    _exit(1);
  }
  memset(w.pageable, 1, LARGE);
  memset(w.pinned, 1, LARGE);
  return w;
}

_Atomic uint64_t* world_word(const world* w, int index) { return w->words + (size_t)index * WORD_STEP / sizeof *w->words; }

int world_launch(const world* w, void* function, void* stream, void** arguments) {
  return w->cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

static int wait_64(const world* w, void* stream) {
  return w->cu.cuStreamWaitValue64_v2(stream, (address)w->words, 1, LEAST_VALUE);
}

static int queue_more(const world* w, int before, void* stream) {
  return before != 0 ? before : w->cu.cuMemcpyDtoHAsync_v2(w->pinned, w->memory, SMALL, stream);
}

static int spin(world* w, void* stream) {
  _Atomic uint64_t* started = world_word(w, 1);
  address arguments[] = {(address)w->words, (address)started};
  atomic_store(started, 0);
  int code = world_kernels(w);
  if (code == 0) {
    code = world_launch(w, w->spin, stream, (void*[]){&arguments[0], &arguments[1]});
  }
  for (int waited = 0; code == 0 && atomic_load(started) == 0; waited++) {
    if (waited == START_MS * 10) {
      return NOT_STARTED;
    }
    rest_us(100);
  }
  return code;
}

int world_hold(world* w, holder by, void* stream) {
  atomic_store(w->words, 0);
  int code = 0;
  switch (by) {
    case NOTHING: return 0;
    case WAIT_64: code = wait_64(w, stream); break;
    case WAIT_64_AND_MORE: code = queue_more(w, wait_64(w, stream), stream); break;
    case WAIT_32: code = w->cu.cuStreamWaitValue32_v2(stream, (address)w->words, 1, LEAST_VALUE); break;
    case KERNEL: return spin(w, stream);
    case KERNEL_AND_MORE: return queue_more(w, spin(w, stream), stream);
  }
  rest_us(2000); /* until the device has come to it: nothing tells */
  return code;
}

void world_release(world* w) { atomic_store(w->words, 1); }

int world_drain(const world* w, void* stream) {
  int code;
  for (int64_t from = now_ns(); (code = w->cu.cuStreamQuery(stream)) == NOT_READY; rest_us(10)) {
    if (now_ns() - from > DRAIN_MS * INT64_C(1000000)) {
      break;
    }
  }
  return code;
}
