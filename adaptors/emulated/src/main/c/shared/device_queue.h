// SPDX-License-Identifier: Apache-2.0
/*
 * Hardware queues, which streams share. A queue issues its entries in the order in which they were put in, whatever their
 * stream: an entry whose stream is not so far yet, or that waits, holds up all behind it. What is issued runs by itself.
 *
 * So a wait for a word blocks its queue; and a kernel that polls does so as soon as something is queued behind it on its
 * stream, and something of another stream behind that. Copies can have queues of their own, where they hold up copies only;
 * what marks the end of a copy is there with it.
 */
#ifndef DEVICE_QUEUE_H
#define DEVICE_QUEUE_H

#include <stdint.h>

typedef struct emu_queue emu_queue;

/* A stream's queues. They are the same where copies have none of their own; NULL where streams share none. */
typedef struct emu_queues {
  emu_queue* work;
  emu_queue* copies;
} emu_queues;

/* Some of the device's, for streams of that priority, chosen differently in each run. */
emu_queues emu_queues_of(int device, int priority);

/* The next entry's place. */
uint64_t emu_queue_enter(emu_queue* queue);

/* Until all entries before `place` are issued. */
void emu_queue_await(emu_queue* queue, uint64_t place);

/* The entry at `place`, whose turn it is, lets the next one go. */
void emu_queue_issue(emu_queue* queue, uint64_t place);

/* What chose the queues, for TOMBOLO_EMU_QUEUE_SEED. */
uint64_t emu_queue_seed(void);

#endif
