// SPDX-License-Identifier: Apache-2.0
/* When a call that waits for streams would never end on a real device, and what is said then; for the files of the engine only. */
#ifndef DEVICE_DEADLOCK_H
#define DEVICE_DEADLOCK_H

#include "device_stream.h"
#include "emu_strict.h"

enum { EMU_NAME_BYTES = 16 };

/* A call in progress, for reports. */
typedef struct emu_caller {
  const char* function; /* the vendor's; NULL if it has no name */
  const char* what;     /* the call in words */
  char thread[EMU_NAME_BYTES];
  long id;
} emu_caller;

/* Of the calling thread; `at` is an address in the vendor's function. */
emu_caller emu_caller_at(const char* what, const void* at);

/* Whether the calling thread is the one that writes the words which streams of the library wait for. */
bool emu_writes_words(void);

/* How long the calling thread is patient: no time if it is the one that writes the words. */
int64_t emu_patience_ns(void);

/* The first stream with an unreached goal that has waited for a word for `bound_ns` since `begun_ns`; or NULL. */
const emu_stream* emu_stuck_stream(const emu_goal* goals, size_t count, int64_t begun_ns, int64_t bound_ns);

/* `waiting` waits for all work of the stream's device; or, unless `by` is NULL, for `by`, which does. */
void emu_report_deadlock(const emu_caller* waiting, const emu_caller* by, const emu_stream* stream, emu_strictness why,
                         int64_t bound_ns);

#endif
