// SPDX-License-Identifier: Apache-2.0
/*
 * The lock of a context. Some calls hold it while they wait for all work of the context, as a CUDA driver does in frees, in
 * taking registrations back and in loading code. Calls of other threads that need it wait until they have returned, whatever
 * stream they are for. Queries, waits for events and for words, and writes of words do not need it.
 */
#ifndef DEVICE_LOCK_H
#define DEVICE_LOCK_H

#include "device_deadlock.h"

/* Who holds it and waits; on the stack of the call. */
typedef struct emu_holder {
  int device;
  emu_caller caller;
  const emu_goal* goals;
  size_t count;
  struct emu_holder* next;
} emu_holder;

void emu_lock_hold(emu_holder* holder);
void emu_lock_leave(emu_holder* holder);

/* Whether calls wait for a holder, on any device: they report a deadlock first, as they can name both. */
bool emu_lock_is_awaited(void);

/* Until no other call holds the lock of the used device's context: EMU_OK, or EMU_DEADLOCK after a report. */
#define emu_lock_await(what) emu_lock_await_in((what), __builtin_return_address(0))

emu_result emu_lock_await_in(const char* what, const void* caller);

#endif
