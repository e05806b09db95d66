// SPDX-License-Identifier: Apache-2.0
/* What a stream of the emulated device is made of; for the files of the engine only. */
#ifndef DEVICE_STREAM_H
#define DEVICE_STREAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "device_engine.h"
#include "device_queue.h"

struct emu_stream {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  emu_work* first;
  emu_work* last;
  uint64_t queued; /* works, ever */
  _Atomic uint64_t done;
  bool destroyed;
  bool failed;
  bool is_default; /* of its device */
  bool is_blocking; /* in order with the default one */
  int device;
  int number; /* among the process's, for reports */
  emu_queues queues;
  bool has_copied; /* the last work was a copy, or marks one */
  _Atomic int64_t held_since_ns; /* waits for a word since then; 0: it does not */
  _Atomic int64_t held_until_ns; /* and saw then that it was not there */
  atomic_int references; /* one for the list, which the thread gives back, one for each call in progress */
  emu_stream* next;
};

/* A stream and how far it must have come; with a reference to it. */
typedef struct emu_goal {
  emu_stream* stream;
  uint64_t done;
} emu_goal;

/*
 * The streams of `device` that have work left and are `wanted`, with what they have to do; to be freed. *count of them; NULL
 * if there are none, or no memory, which are alike here.
 */
emu_goal* emu_stream_goals(int device, bool (*wanted)(const emu_stream* stream), size_t* count);

static inline bool emu_goal_is_reached(const emu_goal* goal) {
  return atomic_load_explicit(&goal->stream->done, memory_order_acquire) >= goal->done;
}

/* The living stream behind the handle, with a reference for the caller; NULL if there is none. */
emu_stream* emu_stream_find(const emu_stream* handle);
void emu_stream_unref(emu_stream* stream);

/* As emu_stream_queue, for a stream that the caller has a reference to; and in no other order than its own. */
emu_result emu_stream_append(emu_stream* stream, emu_work* work);

/* Queues what the next work on `stream` has to wait for where it is the legacy default stream, or in order with it. */
emu_result emu_legacy_order(emu_stream* stream);

#endif
