// SPDX-License-Identifier: Apache-2.0
/* What all sections share: a device, its context, a few buffers, a word to wait for, and lines of output. */
#ifndef WORLD_H
#define WORLD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "driver.h"

enum { NOT_STARTED = -1, MIB = 1 << 20, SMALL = 64, LARGE = 64 * MIB, WORD_STEP = 128, WORDS = 64 };

/* AND_MORE: and a copy is behind that */
typedef enum holder { NOTHING, WAIT_64, WAIT_64_AND_MORE, WAIT_32, KERNEL, KERNEL_AND_MORE } holder;

typedef struct world {
  struct driver cu;
  int device;
  void* context;
  int least, greatest;     /* priorities */
  void* held;              /* the stream that is held */
  void* other;             /* a non-blocking one */
  _Atomic uint64_t* words; /* page-locked, WORD_STEP apart: the first releases held streams, the second says that a kernel runs */
  char* pinned;            /* page-locked, LARGE bytes */
  char* pageable;          /* the same of malloc */
  address memory;          /* of the device, LARGE bytes */
  void* module;            /* of KERNELS, and its function, once world_kernels was called */
  void* spin;
} world;

/* A process of its own has one: cuInit and so on. Ends the process where that fails. */
world world_open(const char* library);

_Atomic uint64_t* world_word(const world* w, int index);

/*
 * KERNELS under a number that no process has used before; ABSENT where the library does not take PTX. Where HABITS_CODE names a
 * file, that is loaded instead: code for this device, if its driver has no compiler of PTX.
 */
int world_load(const world* w, void** module);

/* Writes KERNELS to stdout. */
void world_print_kernels(void);

/* Loads what holds a stream, unless it is there already. */
int world_kernels(world* w);

int world_launch(const world* w, void* function, void* stream, void** arguments);

/* Holds the stream until world_release: 0, or what the driver answers, or NOT_STARTED. */
int world_hold(world* w, holder by, void* stream);
void world_release(world* w);

/* Until the stream has nothing left to do: 0, or NOT_READY after 2 s, or its error. By queries, as not all libraries can wait. */
int world_drain(const world* w, void* stream);

/* Ends the process if a call fails without which nothing can go on. */
void world_need(const world* w, int code, const char* what);

int64_t now_ns(void);
void rest_us(long us);

/* "case" for the process that watches this one: a row follows, or an end of this process that the watcher reports. */
void say_case(int index, const char* name);

/* One line: NAME.FACT ANSWER DETAIL; `fact` may be empty. */
__attribute__((format(printf, 4, 5))) void say(const char* name, const char* fact, const char* answer, const char* detail, ...);

/* The same for the answer of a call: "returns" for 0 and for "not ready", "absent", or "error N". */
void say_code(const world* w, const char* name, const char* fact, int code);

/* Its words. `text` has at least 24 bytes. */
const char* code_text(int code, char* text);

#endif
