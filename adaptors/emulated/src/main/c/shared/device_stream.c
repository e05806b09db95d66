// SPDX-License-Identifier: Apache-2.0
/*
 * Streams: a queue and a thread each. Destroying a stream lets what is queued run to its end, as the vendors' do.
 *
 * Handles are looked up among the living streams before they are used, so a stale one is an error and no crash.
 */
#include <stdlib.h>
#include <time.h>

#include "device_stream.h"

enum { STACK_BYTES = 1 << 20 };

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static emu_stream* living; /* until their threads end */
static int made_before;

static _Thread_local int used_device;
static _Thread_local emu_stream* running;

void emu_use_device(int device) { used_device = device; }

int emu_used_device(void) { return used_device; }

int64_t emu_now_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

bool emu_is_stream_thread(void) { return running != NULL; }

void emu_stream_waited_in_vain(int64_t until_ns) {
  if (running != NULL) {
    int64_t none = 0;
    atomic_store(&running->held_until_ns, until_ns);
    (void)atomic_compare_exchange_strong(&running->held_since_ns, &none, until_ns);
  }
}

void emu_stream_waits_no_more(void) {
  if (running != NULL) {
    atomic_store(&running->held_since_ns, 0);
  }
}

void emu_stream_unref(emu_stream* stream) {
  if (atomic_fetch_sub(&stream->references, 1) == 1) {
    (void)pthread_cond_destroy(&stream->changed);
    (void)pthread_mutex_destroy(&stream->lock);
    free(stream);
  }
}

/* The next work, or NULL when the stream is destroyed and empty. */
static emu_work* next_work(emu_stream* stream) {
  (void)pthread_mutex_lock(&stream->lock);
  while (stream->first == NULL && !stream->destroyed) {
    (void)pthread_cond_wait(&stream->changed, &stream->lock);
  }
  emu_work* work = stream->first;
  if (work != NULL) {
    stream->first = work->next;
    stream->last = work->next == NULL ? NULL : stream->last;
  }
  (void)pthread_mutex_unlock(&stream->lock);
  return work;
}

static bool has_failed(emu_stream* stream) {
  (void)pthread_mutex_lock(&stream->lock);
  bool failed = stream->failed;
  (void)pthread_mutex_unlock(&stream->lock);
  return failed;
}

static void finished(emu_stream* stream, bool well) {
  (void)pthread_mutex_lock(&stream->lock);
  stream->failed = stream->failed || !well;
  atomic_fetch_add(&stream->done, 1);
  (void)pthread_mutex_unlock(&stream->lock);
}

static bool run_or_drop(emu_stream* stream, emu_work* work) {
  if (has_failed(stream)) {
    work->drop(work);
    return false;
  }
  emu_fault_slowness();
  return work->run(work);
}

static emu_queue* queue_for(const emu_stream* stream, const emu_work* work) {
  return work->copies ? stream->queues.copies : stream->queues.work;
}

/* What waits is issued when it is done, all else when its turn has come: see device_queue.h. */
static void perform(emu_stream* stream, emu_work* work) {
  uint64_t place = work->place;
  bool waits = work->waits;
  emu_queue* queue = queue_for(stream, work);
  emu_queue_await(queue, place);
  if (!waits) {
    emu_queue_issue(queue, place);
  }
  bool well = run_or_drop(stream, work);
  if (waits) {
    emu_queue_issue(queue, place);
  }
  finished(stream, well);
}

static void unlist(const emu_stream* stream) {
  (void)pthread_mutex_lock(&table);
  emu_stream** link = &living;
  while (*link != stream) {
    link = &(*link)->next;
  }
  *link = stream->next;
  (void)pthread_mutex_unlock(&table);
}

static void* drain(void* argument) {
  emu_stream* stream = argument;
  running = stream;
  for (emu_work* work = next_work(stream); work != NULL; work = next_work(stream)) {
    perform(stream, work);
  }
  unlist(stream);
  emu_stream_unref(stream);
  return NULL;
}

static bool start(emu_stream* stream) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) {
    return false;
  }
  bool started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                 pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                 pthread_create(&thread, &attributes, drain, stream) == 0;
  (void)pthread_attr_destroy(&attributes);
  return started;
}

/* A listed stream of the calling thread's device; under the table's lock. */
static emu_stream* new_stream(emu_stream_kind kind, bool is_default) {
  emu_stream* stream = calloc(1, sizeof *stream);
  if (stream == NULL) {
    return NULL;
  }
  (void)pthread_mutex_init(&stream->lock, NULL);
  (void)pthread_cond_init(&stream->changed, NULL);
  atomic_init(&stream->references, 1);
  stream->device = used_device;
  stream->number = ++made_before;
  stream->is_default = is_default;
  stream->is_blocking = kind.is_blocking;
  stream->queues = emu_queues_of(used_device, kind.priority);
  stream->next = living;
  if (!start(stream)) {
    emu_stream_unref(stream);
    return NULL;
  }
  living = stream;
  return stream;
}

static bool is_meant(const emu_stream* stream, const emu_stream* handle) {
  return handle == NULL ? stream->is_default && stream->device == used_device : stream == handle && !stream->destroyed;
}

emu_stream* emu_stream_find(const emu_stream* handle) {
  (void)pthread_mutex_lock(&table);
  emu_stream* stream = living;
  while (stream != NULL && !is_meant(stream, handle)) {
    stream = stream->next;
  }
  if (stream == NULL && handle == NULL) {
    stream = new_stream((emu_stream_kind){0}, true);
  }
  if (stream != NULL) {
    atomic_fetch_add(&stream->references, 1);
  }
  (void)pthread_mutex_unlock(&table);
  return stream;
}

static emu_goal goal_of(emu_stream* stream) {
  (void)pthread_mutex_lock(&stream->lock);
  emu_goal goal = {stream, stream->queued};
  (void)pthread_mutex_unlock(&stream->lock);
  atomic_fetch_add(&stream->references, 1);
  return goal;
}

emu_goal* emu_stream_goals(int device, bool (*wanted)(const emu_stream* stream), size_t* count) {
  (void)pthread_mutex_lock(&table);
  size_t most = 0;
  for (const emu_stream* stream = living; stream != NULL; stream = stream->next) {
    most++;
  }
  emu_goal* goals = most == 0 ? NULL : calloc(most, sizeof *goals);
  *count = 0;
  for (emu_stream* stream = living; goals != NULL && stream != NULL; stream = stream->next) {
    if (stream->device == device && wanted(stream)) {
      goals[(*count)++] = goal_of(stream);
    }
  }
  (void)pthread_mutex_unlock(&table);
  return goals;
}

emu_result emu_stream_create_as(emu_stream_kind kind, emu_stream** stream) {
  if (stream == NULL) {
    return EMU_INVALID_VALUE;
  }
  if (emu_fault_making(EMU_STREAMS)) {
    return EMU_OUT_OF_MEMORY;
  }
  (void)pthread_mutex_lock(&table);
  emu_stream* made = new_stream(kind, false);
  (void)pthread_mutex_unlock(&table);
  if (made == NULL) {
    return EMU_OUT_OF_MEMORY;
  }
  *stream = made;
  emu_made(EMU_STREAMS, 1);
  return EMU_OK;
}

emu_result emu_stream_create(emu_stream** stream) { return emu_stream_create_as((emu_stream_kind){0}, stream); }

/* Its thread lets what is queued end first. */
emu_result emu_stream_destroy(emu_stream* handle) {
  emu_stream* stream = handle == NULL ? NULL : emu_stream_find(handle);
  if (stream == NULL) {
    return EMU_INVALID_HANDLE;
  }
  (void)pthread_mutex_lock(&table);
  (void)pthread_mutex_lock(&stream->lock);
  bool first = !stream->destroyed;
  stream->destroyed = true;
  (void)pthread_cond_signal(&stream->changed);
  (void)pthread_mutex_unlock(&stream->lock);
  (void)pthread_mutex_unlock(&table);
  emu_stream_unref(stream);
  if (!first) {
    return EMU_INVALID_HANDLE;
  }
  emu_made(EMU_STREAMS, -1);
  return EMU_OK;
}

emu_result emu_stream_device(emu_stream* handle, int* device) {
  emu_stream* stream = emu_stream_find(handle);
  if (stream == NULL) {
    return EMU_INVALID_HANDLE;
  }
  *device = stream->device;
  emu_stream_unref(stream);
  return EMU_OK;
}

emu_result emu_stream_append(emu_stream* stream, emu_work* work) {
  (void)pthread_mutex_lock(&stream->lock);
  emu_result result = stream->failed ? EMU_STREAM_FAILED : EMU_OK;
  if (result == EMU_OK) {
    work->next = NULL;
    work->copies = work->copies || (work->marks && stream->has_copied);
    stream->has_copied = work->copies;
    work->place = emu_queue_enter(queue_for(stream, work));
    *(stream->last == NULL ? &stream->first : &stream->last->next) = work;
    stream->last = work;
    stream->queued++;
  }
  (void)pthread_mutex_unlock(&stream->lock);
  (void)pthread_cond_signal(&stream->changed); /* with the lock in hand it would have to wait for that at once */
  return result;
}

void emu_stream_fail(void* handle) {
  emu_stream* stream = emu_stream_find(handle);
  if (stream != NULL) {
    (void)pthread_mutex_lock(&stream->lock);
    stream->failed = true;
    (void)pthread_mutex_unlock(&stream->lock);
    emu_stream_unref(stream);
  }
}
