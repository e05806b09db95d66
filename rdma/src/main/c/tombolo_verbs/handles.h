// SPDX-License-Identifier: Apache-2.0
/*
 * Handles that cross JNI: an index and a generation, so that a stale one is an error and never a wild pointer.
 *
 * Looking up takes no lock: it is on the way of every post. Using an object while another thread closes it is the
 * caller's mistake, as with the library itself.
 */
#ifndef TOMBOLO_VERBS_HANDLES_H
#define TOMBOLO_VERBS_HANDLES_H

#include "library.h"

typedef enum handle_kind {
  FREE_HANDLE,
  LIBRARY,
  CONTEXT,
  DOMAIN,
  REGION,
  WINDOW,
  EVENTS,
  COMPLETIONS,
  SHARED_RECEIVES,
  QUEUE_PAIR,
  PEER_ADDRESS
} handle_kind;

typedef struct handle_entry {
  void* object;
  const verbs_library* library;
  uint32_t generation; /* odd while in use */
  handle_kind kind;
} handle_entry;

/* A handle for `object`, never 0 and never negative; -ENOSPC if all are taken. */
int64_t handle_new(handle_kind kind, const verbs_library* library, void* object);

/* What the handle stands for; NULL if it was closed, is of another kind or never existed. */
const handle_entry* handle_find(int64_t handle, handle_kind kind);

/* As handle_find, for any kind. */
const handle_entry* handle_any(int64_t handle);

/* Closes the handle; the object is the caller's again. */
void handle_drop(int64_t handle);

#endif
