// SPDX-License-Identifier: Apache-2.0
/*
 * Handles that cross JNI: an index and a generation, so that a stale one is an error and never a wild pointer. All
 * thread-safe; handle_get takes no lock.
 */
#ifndef TOMBOLO_HANDLES_H
#define TOMBOLO_HANDLES_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver.h"

typedef enum kind {
  FREE_SLOT,
  DRIVER,
  DEVICE,
  ALLOCATED,
  PINNED,
  REGISTERED,
  IMPORTED,
  STREAM,
  FOREIGN_STREAM,
  EVENT,
  MODULE,
  KERNEL
} kind;

typedef struct thing {
  kind kind;
  device on;      /* the device it was made on */
  uint64_t value; /* the vendor's address or handle */
  uint64_t size;  /* of host memory, in bytes */
  uint64_t before; /* of an entry: what was current on its thread, see current.h */
} thing;

/* A handle for `made`; 0 if there is no memory for one. */
jlong handle_new(const thing* made);

/* What the handle stands for; false if it was closed or never existed. */
bool handle_get(jlong handle, thing* found);

/* As handle_get, and the handle is closed: of several threads only one gets true. */
bool handle_take(jlong handle, thing* found);

#endif
