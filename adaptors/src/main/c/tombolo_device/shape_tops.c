// SPDX-License-Identifier: Apache-2.0
/*
 * TopsRT, the runtime of Enflame's GCUs: HIP's calls under other names, but for waiting. A stream waits for a 32-bit word of
 * device memory, which the host writes by a call of its own; so words are watched.
 */
#include "driver.h"
#include "watch.h"

/* A gate has a cache line of the device to itself. */
enum { LINE_BYTES = 64 };

/* A gate is such a word, and counts its turns. That a stream waits for just this value or for at least it is the same then. */
static int set(const driver* by, const gate* at) {
  return CALL(by, GATE_OPEN, uint64_t, int, unsigned)(at->handle, (int)(uint32_t)at->turn, 0);
}

static int new_gate(const driver* by, gate* made) {
  uint64_t word = 0;
  int code = by->calls.allocate(by, &word, LINE_BYTES);
  *made = (gate){word, 0};
  return code == by->constant[SUCCESS] ? set(by, made) : code;
}

static int wait_gate(const driver* by, void* stream, gate* at) {
  at->turn++;
  return CALL(by, GATE_WAIT, uint64_t, int, unsigned, void*)(at->handle, (int)(uint32_t)at->turn, 0, stream);
}

static int open_gate(const driver* by, gate* at) { return set(by, at); }

void enflame_tops(calls* of) {
  of->wait_value = watched_wait;
  of->write_value = watched_write;
  of->new_gate = new_gate;
  of->wait_gate = wait_gate;
  of->open_gate = open_gate;
}
