// SPDX-License-Identifier: Apache-2.0
#include "device_capture.h"

#include <pthread.h>
#include <stdlib.h>

#include "device_stream.h"
#include "emu_strict.h"

typedef struct capture {
  uint64_t number; /* among the process's, from 1 */
  emu_capture_mode mode;
  pthread_t thread;
  bool is_valid;
} capture;

/* A stream in a capture: the one that it was begun on, or one that has waited for an event of it. */
typedef struct branch {
  capture* of;
  const emu_stream* stream;
  int device;
  bool is_blocking;
  bool is_origin;
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

static void add(branch* made, capture* to, const emu_stream* stream, bool is_origin) {
  *made = (branch){to, stream, stream->device, stream->is_blocking, is_origin, ongoing};
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
    *made = (capture){++begun, mode, pthread_self(), true};
    add(origin, made, on, true);
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

static emu_result end_at(const branch* at) {
  if (!at->is_origin) {
    spoil(at->of);
    return EMU_CAPTURE_UNMATCHED;
  }
  if (at->of->mode != EMU_CAPTURE_RELAXED && !is_own(at->of)) {
    return EMU_CAPTURE_WRONG_THREAD;
  }
  emu_result result = at->of->is_valid ? EMU_OK : EMU_CAPTURE_INVALIDATED;
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

/* What becomes of a stream, which is in a capture by `own` unless that is NULL, and waits for an event of `of`. */
static emu_result join(capture* of, const branch* own, const emu_stream* stream, branch* made) {
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
  if (own == NULL) {
    add(made, of, stream, false);
  }
  return EMU_OK;
}

emu_result emu_capture_join(uint64_t number, emu_stream* handle) {
  branch* made = calloc(1, sizeof *made);
  emu_stream* stream = made == NULL ? NULL : emu_stream_find(handle);
  if (stream == NULL) {
    free(made);
    return made == NULL ? EMU_OUT_OF_MEMORY : EMU_INVALID_HANDLE;
  }
  (void)pthread_mutex_lock(&lock);
  capture* of = capture_of(number);
  emu_result result = of == NULL ? EMU_CAPTURED_EVENT : join(of, branch_of(stream), stream, made);
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

uint64_t emu_capture_number(const emu_stream* stream) {
  if (atomic_load(&count) == 0) {
    return 0;
  }
  (void)pthread_mutex_lock(&lock);
  const branch* own = branch_of(stream);
  uint64_t number = own == NULL ? 0 : own->of->number;
  (void)pthread_mutex_unlock(&lock);
  return number;
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

emu_result emu_capture_take(const emu_stream* stream, bool* is_noted) {
  *is_noted = false;
  if (atomic_load(&count) == 0) {
    return EMU_OK;
  }
  (void)pthread_mutex_lock(&lock);
  const branch* found = branch_of(stream);
  *is_noted = found != NULL;
  emu_result result = stream->is_default                       ? refuse_implicit(stream->device)
                      : found != NULL && !found->of->is_valid ? EMU_CAPTURE_INVALIDATED
                                                               : EMU_OK;
  (void)pthread_mutex_unlock(&lock);
  return result;
}
