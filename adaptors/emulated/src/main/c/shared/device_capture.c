// SPDX-License-Identifier: Apache-2.0
#include "device_capture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device_stream.h"
#include "emu_strict.h"

typedef struct capture {
  uint64_t number; /* among the process's, from 1 */
  emu_capture_mode mode;
  pthread_t thread;
  bool is_valid;
  int streams; /* that are in it */
} capture;

/* A stream in a capture: the one that it was begun on, or one that has waited for an event of it. */
typedef struct branch {
  capture* of;
  const emu_stream* stream;
  int device;
  bool is_blocking;
  int place; /* among the capture's; the origin has the first */
  uint64_t works; /* noted on this stream */
  uint64_t before[EMU_CAPTURE_STREAMS]; /* and on each, of those that are before what comes next here */
  struct branch* next;
} branch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static branch* ongoing;
static uint64_t begun;
static atomic_int count; /* of captures, so that whoever captures nothing takes no lock */
static _Thread_local emu_capture_mode own_mode;

static bool is_own(const capture* of) { return pthread_equal(of->thread, pthread_self()); }

static branch* branch_of(const emu_stream* stream) {
  branch* each = ongoing;
  while (each != NULL && each->stream != stream) {
    each = each->next;
  }
  return each;
}

static capture* capture_of(uint64_t number) {
  const branch* each = ongoing;
  while (each != NULL && each->of->number != number) {
    each = each->next;
  }
  return each == NULL ? NULL : each->of;
}

static void add(branch* made, capture* to, const emu_stream* stream) {
  *made = (branch){.of = to, .stream = stream, .device = stream->device, .is_blocking = stream->is_blocking, .next = ongoing};
  made->place = to->streams++;
  ongoing = made;
}

/* Something illegal has come to it. */
static void spoil(capture* of) { of->is_valid = of->is_valid && !emu_is_strict(EMU_CAPTURE); }

static emu_result begin(const emu_stream* on, emu_capture_mode mode) {
  capture* made = calloc(1, sizeof *made);
  branch* origin = calloc(1, sizeof *origin);
  if (made == NULL || origin == NULL) {
    free(made);
    free(origin);
    return EMU_OUT_OF_MEMORY;
  }
  (void)pthread_mutex_lock(&lock);
  bool again = branch_of(on) != NULL;
  if (!again) {
    *made = (capture){++begun, mode, pthread_self(), true, 0};
    add(origin, made, on);
    atomic_fetch_add(&count, 1);
  }
  (void)pthread_mutex_unlock(&lock);
  if (again) {
    free(made);
    free(origin);
  }
  return again ? EMU_INVALID_VALUE : EMU_OK;
}

emu_result emu_capture_begin(emu_stream* stream, emu_capture_mode mode) {
  if (stream == NULL) {
    return EMU_CAPTURE_UNSUPPORTED;
  }
  emu_stream* found = emu_stream_find(stream);
  if (found == NULL) {
    return EMU_INVALID_HANDLE;
  }
  emu_result result = begin(found, mode);
  emu_stream_unref(found);
  return result;
}

static void end(capture* of) {
  for (branch** link = &ongoing; *link != NULL;) {
    branch* each = *link;
    if (each->of == of) {
      *link = each->next;
      free(each);
    } else {
      link = &each->next;
    }
  }
  free(of);
  atomic_fetch_sub(&count, 1);
}

static bool is_joined(const branch* origin) {
  bool joined = true;
  for (const branch* each = ongoing; each != NULL; each = each->next) {
    joined = joined && (each->of != origin->of || origin->before[each->place] == each->works);
  }
  return joined || !emu_is_strict(EMU_CAPTURE);
}

static emu_result end_at(const branch* at) {
  if (at->place != 0) {
    spoil(at->of);
    return EMU_CAPTURE_UNMATCHED;
  }
  if (at->of->mode != EMU_CAPTURE_RELAXED && !is_own(at->of)) {
    return EMU_CAPTURE_WRONG_THREAD;
  }
  emu_result result = !at->of->is_valid ? EMU_CAPTURE_INVALIDATED : is_joined(at) ? EMU_OK : EMU_CAPTURE_UNJOINED;
  end(at->of);
  return result;
}

emu_result emu_capture_end(emu_stream* stream) {
  (void)pthread_mutex_lock(&lock);
  const branch* found = branch_of(stream);
  emu_result result = found == NULL ? EMU_INVALID_VALUE : end_at(found);
  (void)pthread_mutex_unlock(&lock);
  return result;
}

static void come_after(branch* waiting, const emu_capture_point* point) {
  for (int i = 0; i < EMU_CAPTURE_STREAMS; i++) {
    waiting->before[i] = waiting->before[i] > point->before[i] ? waiting->before[i] : point->before[i];
  }
}

/* What becomes of a stream, which is in a capture by `own` unless that is NULL, and waits for a point of `of`. */
static emu_result join(capture* of, branch* own, const emu_stream* stream, const emu_capture_point* point, branch* made) {
  if (stream->is_default) {
    spoil(of);
    return EMU_CAPTURE_UNSUPPORTED;
  }
  if (own != NULL && own->of != of) {
    spoil(own->of);
    spoil(of);
    return EMU_CAPTURE_MERGE;
  }
  if (!of->is_valid) {
    return EMU_CAPTURE_INVALIDATED;
  }
  if (own == NULL && of->streams == EMU_CAPTURE_STREAMS) {
    return EMU_OUT_OF_MEMORY;
  }
  if (own == NULL) {
    add(made, of, stream);
  }
  come_after(own == NULL ? made : own, point);
  return EMU_OK;
}

emu_result emu_capture_join(const emu_capture_point* point, emu_stream* handle) {
  branch* made = calloc(1, sizeof *made);
  emu_stream* stream = made == NULL ? NULL : emu_stream_find(handle);
  if (stream == NULL) {
    free(made);
    return made == NULL ? EMU_OUT_OF_MEMORY : EMU_INVALID_HANDLE;
  }
  (void)pthread_mutex_lock(&lock);
  capture* of = capture_of(point->number);
  emu_result result = of == NULL ? EMU_CAPTURED_EVENT : join(of, branch_of(stream), stream, point, made);
  bool is_used = made->of != NULL;
  (void)pthread_mutex_unlock(&lock);
  if (!is_used) {
    free(made);
  }
  emu_stream_unref(stream);
  return result;
}

emu_result emu_capture_isolate(const emu_stream* stream) {
  if (atomic_load(&count) == 0 || !emu_is_strict(EMU_CAPTURE)) {
    return EMU_OK;
  }
  (void)pthread_mutex_lock(&lock);
  const branch* own = branch_of(stream);
  if (own != NULL) {
    spoil(own->of);
  }
  (void)pthread_mutex_unlock(&lock);
  return own != NULL ? EMU_CAPTURE_ISOLATION : EMU_OK;
}

emu_capture_point* emu_capture_here(const emu_stream* stream) {
  if (atomic_load(&count) == 0) {
    return NULL;
  }
  (void)pthread_mutex_lock(&lock);
  const branch* own = branch_of(stream);
  emu_capture_point* here = own == NULL ? NULL : malloc(sizeof *here);
  if (here != NULL) {
    here->number = own->of->number;
    memcpy(here->before, own->before, sizeof here->before);
  }
  (void)pthread_mutex_unlock(&lock);
  return here;
}

/* Of the default stream of `device`, which would have to wait for a blocking one that does not run. */
static bool would_join(const branch* each, int device) { return each->is_blocking && each->device == device; }

static emu_result look(const emu_stream* at, const emu_stream* handle, emu_capture_state* state) {
  emu_result result = EMU_OK;
  *state = EMU_CAPTURE_NONE;
  for (const branch* each = ongoing; each != NULL; each = each->next) {
    if (at->is_default && would_join(each, at->device)) {
      result = EMU_CAPTURE_IMPLICIT;
    }
    if (each->stream == handle) {
      *state = each->of->is_valid ? EMU_CAPTURE_ACTIVE : EMU_CAPTURE_BROKEN;
    }
  }
  return result;
}

emu_result emu_capture_look(const emu_stream* stream, emu_capture_state* state) {
  emu_stream* found = emu_stream_find(stream);
  if (found == NULL) {
    return EMU_INVALID_HANDLE;
  }
  (void)pthread_mutex_lock(&lock);
  emu_result result = look(found, stream, state);
  (void)pthread_mutex_unlock(&lock);
  emu_stream_unref(found);
  return result;
}

emu_capture_mode emu_capture_exchange(emu_capture_mode mode) {
  emu_capture_mode before = own_mode;
  own_mode = mode;
  return before;
}

static bool forbids(const capture* of) {
  switch (own_mode) {
    case EMU_CAPTURE_GLOBAL: return of->mode == EMU_CAPTURE_GLOBAL || (of->mode == EMU_CAPTURE_THREAD_LOCAL && is_own(of));
    case EMU_CAPTURE_THREAD_LOCAL: return of->mode != EMU_CAPTURE_RELAXED && is_own(of);
    case EMU_CAPTURE_RELAXED: return false;
  }
  return false;
}

emu_result emu_capture_permit(void) {
  if (atomic_load(&count) == 0 || !emu_is_strict(EMU_CAPTURE)) {
    return EMU_OK;
  }
  emu_result result = EMU_OK;
  (void)pthread_mutex_lock(&lock);
  for (const branch* each = ongoing; each != NULL; each = each->next) {
    if (forbids(each->of)) {
      spoil(each->of);
      result = EMU_CAPTURE_UNSUPPORTED;
    }
  }
  (void)pthread_mutex_unlock(&lock);
  return result;
}

/* "Would have resulted in a dependency". */
static emu_result refuse_implicit(int device) {
  emu_result result = EMU_OK;
  for (const branch* each = ongoing; each != NULL; each = each->next) {
    if (would_join(each, device) && emu_is_strict(EMU_CAPTURE)) {
      spoil(each->of);
      result = EMU_CAPTURE_IMPLICIT;
    }
  }
  return result;
}

void emu_capture_spoil(uint64_t number) {
  (void)pthread_mutex_lock(&lock);
  capture* found = capture_of(number);
  if (found != NULL) {
    spoil(found);
  }
  (void)pthread_mutex_unlock(&lock);
}

emu_result emu_capture_permit_query(const emu_stream* stream) {
  if (atomic_load(&count) == 0 || !emu_is_strict(EMU_CAPTURE)) {
    return EMU_OK;
  }
  (void)pthread_mutex_lock(&lock);
  const branch* own = branch_of(stream);
  emu_result result = stream->is_default ? refuse_implicit(stream->device) : own != NULL ? EMU_CAPTURE_UNSUPPORTED : EMU_OK;
  if (own != NULL) {
    spoil(own->of);
  }
  (void)pthread_mutex_unlock(&lock);
  return result != EMU_OK ? result : emu_capture_permit();
}

/* A mark is no work of a graph: nothing is left out where nobody waits for one. */
static void note(branch* on, const emu_work* work) {
  if (!work->marks) {
    on->before[on->place] = ++on->works;
  }
}

emu_result emu_capture_take(const emu_stream* stream, const emu_work* work, bool* is_noted) {
  *is_noted = false;
  if (atomic_load(&count) == 0) {
    return EMU_OK;
  }
  (void)pthread_mutex_lock(&lock);
  branch* found = branch_of(stream);
  *is_noted = found != NULL;
  emu_result result = stream->is_default                       ? refuse_implicit(stream->device)
                      : found != NULL && !found->of->is_valid ? EMU_CAPTURE_INVALIDATED
                                                               : EMU_OK;
  if (result == EMU_OK && found != NULL) {
    note(found, work);
  }
  (void)pthread_mutex_unlock(&lock);
  return result;
}
