// SPDX-License-Identifier: Apache-2.0
#include "device_capture.h"

#include <pthread.h>
#include <stdlib.h>

#include "device_stream.h"
#include "emu_strict.h"

typedef struct capture {
  const emu_stream* stream;
  int device;
  bool is_blocking;
  emu_capture_mode mode;
  pthread_t thread;
  bool is_valid;
  struct capture* next;
} capture;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static capture* ongoing;
static atomic_int count; /* so that whoever captures nothing takes no lock */
static _Thread_local emu_capture_mode own_mode;

static bool is_own(const capture* of) { return pthread_equal(of->thread, pthread_self()); }

static capture** link_to(const emu_stream* stream) {
  capture** link = &ongoing;
  while (*link != NULL && (*link)->stream != stream) {
    link = &(*link)->next;
  }
  return link;
}

emu_result emu_capture_begin(emu_stream* stream, emu_capture_mode mode) {
  if (stream == NULL) {
    return EMU_CAPTURE_UNSUPPORTED;
  }
  emu_stream* found = emu_stream_find(stream);
  if (found == NULL) {
    return EMU_INVALID_HANDLE;
  }
  capture* made = calloc(1, sizeof *made);
  if (made != NULL) {
    *made = (capture){stream, found->device, found->is_blocking, mode, pthread_self(), true, NULL};
  }
  emu_stream_unref(found);
  if (made == NULL) {
    return EMU_OUT_OF_MEMORY;
  }
  (void)pthread_mutex_lock(&lock);
  bool again = *link_to(stream) != NULL;
  if (!again) {
    made->next = ongoing;
    ongoing = made;
    atomic_fetch_add(&count, 1);
  }
  (void)pthread_mutex_unlock(&lock);
  if (again) {
    free(made);
  }
  return again ? EMU_INVALID_VALUE : EMU_OK;
}

emu_result emu_capture_end(emu_stream* stream) {
  (void)pthread_mutex_lock(&lock);
  capture** link = link_to(stream);
  capture* found = *link;
  emu_result result = found == NULL                                            ? EMU_INVALID_VALUE
                      : found->mode != EMU_CAPTURE_RELAXED && !is_own(found) ? EMU_CAPTURE_WRONG_THREAD
                      : found->is_valid                                        ? EMU_OK
                                                                               : EMU_CAPTURE_INVALIDATED;
  if (result == EMU_OK || result == EMU_CAPTURE_INVALIDATED) {
    *link = found->next;
    atomic_fetch_sub(&count, 1);
    free(found);
  }
  (void)pthread_mutex_unlock(&lock);
  return result;
}

/* Of the default stream of `device`, which would have to wait for a blocking one that does not run. */
static bool would_join(const capture* of, int device) { return of->is_blocking && of->device == device; }

static emu_result look(const emu_stream* at, const emu_stream* handle, emu_capture_state* state) {
  emu_result result = EMU_OK;
  *state = EMU_CAPTURE_NONE;
  for (const capture* of = ongoing; of != NULL; of = of->next) {
    if (at->is_default && would_join(of, at->device)) {
      result = EMU_CAPTURE_IMPLICIT;
    }
    if (of->stream == handle) {
      *state = of->is_valid ? EMU_CAPTURE_ACTIVE : EMU_CAPTURE_BROKEN;
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
  for (capture* of = ongoing; of != NULL; of = of->next) {
    if (forbids(of)) {
      of->is_valid = false;
      result = EMU_CAPTURE_UNSUPPORTED;
    }
  }
  (void)pthread_mutex_unlock(&lock);
  return result;
}

/* "Would have resulted in a dependency". */
static emu_result refuse_implicit(int device) {
  emu_result result = EMU_OK;
  for (capture* of = ongoing; of != NULL; of = of->next) {
    if (would_join(of, device) && emu_is_strict(EMU_CAPTURE)) {
      of->is_valid = false;
      result = EMU_CAPTURE_IMPLICIT;
    }
  }
  return result;
}

void emu_capture_spoil(const emu_stream* stream) {
  (void)pthread_mutex_lock(&lock);
  capture* found = *link_to(stream);
  if (found != NULL && emu_is_strict(EMU_CAPTURE)) {
    found->is_valid = false;
  }
  (void)pthread_mutex_unlock(&lock);
}

emu_result emu_capture_permit_query(const emu_stream* stream) {
  if (atomic_load(&count) == 0 || !emu_is_strict(EMU_CAPTURE)) {
    return EMU_OK;
  }
  (void)pthread_mutex_lock(&lock);
  capture* own = *link_to(stream);
  emu_result result = stream->is_default ? refuse_implicit(stream->device) : own != NULL ? EMU_CAPTURE_UNSUPPORTED : EMU_OK;
  if (own != NULL) {
    own->is_valid = false;
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
  const capture* found = *link_to(stream);
  *is_noted = found != NULL;
  emu_result result = stream->is_default                   ? refuse_implicit(stream->device)
                      : found != NULL && !found->is_valid ? EMU_CAPTURE_INVALIDATED
                                                           : EMU_OK;
  (void)pthread_mutex_unlock(&lock);
  return result;
}
