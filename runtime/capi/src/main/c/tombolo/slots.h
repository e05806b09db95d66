/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles of works: places that are used again, each time with another generation, so that a handle that was released
 * is known as such. Java puts the work into the place that it is told (WorkSlots), and writes here where the work's
 * state word is.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "shell.h"
#include "tombolo.h"

enum { NO_SLOT = -1 };

/* Takes a place; NO_SLOT after a failure. */
int32_t slot_take(JNIEnv* env, tombolo_status* status);

/* The handle of a place that was taken. */
tombolo_work slot_handle(int32_t slot);

/* The place of a handle; NO_SLOT, with the thread's text, if it has none. */
int32_t slot_of(tombolo_work work);

/* Gives a place back that Java has forgotten. */
void slot_give_back(int32_t slot);

/* What the state word says of the work in a place; docs/streams-and-threads.md has its layout. */
struct slot_state {
  uint64_t sequence;
  bool started;
  bool ended;
  bool failed;
};
struct slot_state slot_look(int32_t slot);

#endif
