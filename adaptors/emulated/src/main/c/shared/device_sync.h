// SPDX-License-Identifier: Apache-2.0
/*
 * Calls that wait for all work of the calling thread's context, as vendors document some of theirs.
 *
 * A stream that waits for a word which the calling thread would write never ends, and the real call hangs. The emulator cannot
 * see who writes a word. So it takes a stream for such a one that has waited for its word for TOMBOLO_EMU_DEADLOCK_MS (10000)
 * of the time that the thread is inside the call: then it reports call, thread and stream, and the call fails. Who holds a
 * stream for longer than that, and frees meanwhile on a thread that nobody waits for, sets the variable higher.
 */
#ifndef DEVICE_SYNC_H
#define DEVICE_SYNC_H

#include "device_engine.h"
#include "emu_strict.h"

/* Whether a call holds the context's lock while it waits: see device_lock.h. */
typedef enum emu_waiting { EMU_UNLOCKED, EMU_LOCKED } emu_waiting;

/*
 * Waits for whoever holds the lock, and where `why` is on for all work; `what` is the call in words. EMU_DEADLOCK after a report;
 * what a capture says, which forbids it.
 */
#define emu_synchronise(why, how, what) emu_synchronise_in((why), (how), (what), __builtin_return_address(0))

/* The same, where that is a habit of the device, for the call that opens a gate. */
emu_result emu_synchronise_gate(void);

/* `caller` is an address in the vendor's function, which is named in the report. */
emu_result emu_synchronise_in(emu_strictness why, emu_waiting how, const char* what, const void* caller);

#endif
