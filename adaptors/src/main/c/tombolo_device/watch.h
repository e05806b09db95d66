// SPDX-License-Identifier: Apache-2.0
/*
 * Doorbells for runtimes whose streams can neither wait for a word of memory nor write one, but whose host can let a stream
 * go on: a gate. One thread of the process looks after the words, and sleeps while there are none.
 *
 *   a wait   the stream stops at a gate; once the word has its value, the thread opens the gate
 *   a write  the stream records an event, and stops at a gate; once the event is done, the thread writes the word and opens
 *            the gate, so that a stream's writes keep its order, and a stream that is idle has written
 *
 * Thread-safe. Nothing here waits: calls take the time of the vendor's. The functions of a host stream, which some of these
 * runtimes have, are no substitute: vendors may run those of all streams one after the other, and one that waits for another
 * stream's then waits for ever.
 */
#ifndef TOMBOLO_WATCH_H
#define TOMBOLO_WATCH_H

#include "driver.h"

/* As the calls of the same names; they need new_gate, wait_gate, open_gate and the calls for events. */
int watched_wait(const device* on, void* stream, uint64_t word, uint64_t value);
int watched_write(const device* on, void* stream, uint64_t word, uint64_t value);

/*
 * Opens a gate at which no stream waits, for who tries whether that call waits for streams; it holds no lock meanwhile. Only
 * of gates that count their turns: another would be open when it is used.
 */
int watch_try(const device* on);

/*
 * Called for each new stream: makes now what one wait and one write of it need. Making it under a stream that is held may
 * wait for that stream. watch_release, when a stream ends, leaves what was made for the next one.
 */
int watch_reserve(const device* on);
void watch_release(const device* on);

/*
 * The words in `size` bytes at `address` are gone when this returns: no more writes, and a stream that still waits for one of
 * them waits for ever, as it would with a vendor's own wait.
 */
void watch_forget(uint64_t address, uint64_t size);

#endif
