/*
 * Streams: a queue and a thread each. Destroying a stream lets what is queued run to its end, as the vendors' do.
 *
 * Handles are looked up among the living streams before they are used, so a stale one is an error and no crash.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "device_engine.h"

struct emu_stream {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  emu_work* first;
  emu_work* last;
  size_t unfinished;
  bool destroyed;
  bool failed;
  atomic_int references; /* one for the list of the living, one for the thread, one for each call in progress */
  emu_stream* next;
};

enum { STACK_BYTES = 1 << 20 };

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static emu_stream* living;
static emu_stream* default_stream;

static void unref(emu_stream* stream) {
  if (atomic_fetch_sub(&stream->references, 1) == 1) {
    (void)pthread_cond_destroy(&stream->changed);
    (void)pthread_mutex_destroy(&stream->lock);
    free(stream);
  }
}

/* The next work, or NULL when the stream is destroyed and empty. */
static emu_work* next_work(emu_stream* stream, bool* failed) {
  (void)pthread_mutex_lock(&stream->lock);
  while (stream->first == NULL && !stream->destroyed) {
    (void)pthread_cond_wait(&stream->changed, &stream->lock);
  }
  emu_work* work = stream->first;
  if (work != NULL) {
    stream->first = work->next;
    stream->last = work->next == NULL ? NULL : stream->last;
  }
  *failed = stream->failed;
  (void)pthread_mutex_unlock(&stream->lock);
  return work;
}

static void finished(emu_stream* stream, bool well) {
  (void)pthread_mutex_lock(&stream->lock);
  stream->unfinished--;
  stream->failed = stream->failed || !well;
  (void)pthread_mutex_unlock(&stream->lock);
}

static void* drain(void* argument) {
  emu_stream* stream = argument;
  bool failed = false;
  for (emu_work* work = next_work(stream, &failed); work != NULL; work = next_work(stream, &failed)) {
    bool well = false;
    if (failed) {
      work->drop(work);
    } else {
      emu_fault_slowness();
      well = work->run(work);
    }
    finished(stream, well);
  }
  unref(stream);
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

static emu_stream* new_stream(void) {
  emu_stream* stream = calloc(1, sizeof *stream);
  if (stream == NULL) {
    return NULL;
  }
  (void)pthread_mutex_init(&stream->lock, NULL);
  (void)pthread_cond_init(&stream->changed, NULL);
  atomic_init(&stream->references, 2);
  if (!start(stream)) {
    atomic_store(&stream->references, 1);
    unref(stream);
    return NULL;
  }
  return stream;
}

/* The living stream behind the handle, with a reference for the caller; NULL if there is none. */
static emu_stream* find(emu_stream* handle) {
  (void)pthread_mutex_lock(&table);
  if (handle == NULL && default_stream == NULL) {
    default_stream = new_stream();
  }
  emu_stream* stream = handle == NULL ? default_stream : living;
  while (handle != NULL && stream != NULL && stream != handle) {
    stream = stream->next;
  }
  if (stream != NULL) {
    atomic_fetch_add(&stream->references, 1);
  }
  (void)pthread_mutex_unlock(&table);
  return stream;
}

emu_result emu_stream_create(emu_stream** stream) {
  emu_stream* made = stream == NULL ? NULL : new_stream();
  if (made == NULL) {
    return stream == NULL ? EMU_INVALID_VALUE : EMU_OUT_OF_MEMORY;
  }
  (void)pthread_mutex_lock(&table);
  made->next = living;
  living = made;
  (void)pthread_mutex_unlock(&table);
  *stream = made;
  return EMU_OK;
}

emu_result emu_stream_destroy(emu_stream* stream) {
  (void)pthread_mutex_lock(&table);
  emu_stream** link = &living;
  while (*link != NULL && *link != stream) {
    link = &(*link)->next;
  }
  emu_stream* found = *link;
  if (found != NULL) {
    *link = found->next;
  }
  (void)pthread_mutex_unlock(&table);
  if (found == NULL) {
    return EMU_INVALID_HANDLE;
  }
  (void)pthread_mutex_lock(&found->lock);
  found->destroyed = true;
  (void)pthread_cond_signal(&found->changed);
  (void)pthread_mutex_unlock(&found->lock);
  unref(found);
  return EMU_OK;
}

emu_result emu_stream_query(emu_stream* handle) {
  emu_stream* stream = find(handle);
  if (stream == NULL) {
    return EMU_INVALID_HANDLE;
  }
  (void)pthread_mutex_lock(&stream->lock);
  emu_result result = stream->failed ? EMU_STREAM_FAILED : stream->unfinished > 0 ? EMU_NOT_READY : EMU_OK;
  (void)pthread_mutex_unlock(&stream->lock);
  unref(stream);
  return result;
}

emu_result emu_stream_queue(emu_stream* handle, emu_work* work) {
  emu_stream* stream = find(handle);
  if (stream == NULL) {
    return EMU_INVALID_HANDLE;
  }
  (void)pthread_mutex_lock(&stream->lock);
  emu_result result = stream->failed ? EMU_STREAM_FAILED : EMU_OK;
  if (result == EMU_OK) {
    work->next = NULL;
    *(stream->last == NULL ? &stream->first : &stream->last->next) = work;
    stream->last = work;
    stream->unfinished++;
    (void)pthread_cond_signal(&stream->changed);
  }
  (void)pthread_mutex_unlock(&stream->lock);
  unref(stream);
  return result;
}

void emu_stream_fail(void* handle) {
  emu_stream* stream = find(handle);
  if (stream != NULL) {
    (void)pthread_mutex_lock(&stream->lock);
    stream->failed = true;
    (void)pthread_mutex_unlock(&stream->lock);
    unref(stream);
  }
}

typedef struct call {
  emu_work work;
  void (*run)(void* argument);
  void* argument;
} call;

static bool run_call(emu_work* work) {
  call* made = (call*)work;
  made->run(made->argument);
  free(made);
  return true;
}

static void drop_call(emu_work* work) { free(work); }

emu_result emu_host_function(void (*run)(void* argument), void* argument, emu_stream* on) {
  call* made = run == NULL ? NULL : malloc(sizeof *made);
  if (made == NULL) {
    return run == NULL ? EMU_INVALID_VALUE : EMU_OUT_OF_MEMORY;
  }
  *made = (call){{run_call, drop_call, NULL}, run, argument};
  emu_result result = emu_stream_queue(on, &made->work);
  if (result != EMU_OK) {
    free(made);
  }
  return result;
}

int emu_stream_enqueue(void* stream, void (*run)(void* argument), void* argument) {
  switch (emu_host_function(run, argument, stream)) {
    case EMU_OK: return 0;
    case EMU_OUT_OF_MEMORY: return ENOMEM;
    case EMU_STREAM_FAILED: return EIO;
    default: return EINVAL;
  }
}
