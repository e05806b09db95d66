// SPDX-License-Identifier: Apache-2.0
/*
 * What the emulated collective libraries may ask of the emulated device runtime in the same shared object.
 *
 * Thread-safe. Device addresses are mapped PROT_NONE: the emulator itself works on them through a second mapping.
 */
#ifndef EMU_DEVICE_H
#define EMU_DEVICE_H

#include <stddef.h>

/*
 * Queues run(arg) on the worker thread of `stream`, the vendor's handle as the API passed it; NULL is the default
 * stream. It runs after everything queued before and may block; it occupies the stream's hardware queue until it returns.
 * Returns 0; EINVAL if there is no such stream, EIO if it has failed, ENOMEM if its queue cannot grow.
 */
int emu_stream_enqueue(void* stream, void (*run)(void* arg), void* arg);

/*
 * Waits until work can be queued: while another thread is in a free, and its like, it cannot be. Callers do this before they
 * take a lock that queued work takes too, which the other thread may wait for. Results as of emu_stream_enqueue.
 */
int emu_stream_await_frees(void);

/*
 * The host-usable address behind [address, address + size) of device, pinned or registered memory of this process;
 * NULL if any byte of it is not. For device memory it is valid until the block is freed.
 */
void* emu_alias(const void* address, size_t size);

/* Makes `stream` fail: queries report the vendor's launch failure, and nothing queued on it runs any more. */
void emu_stream_fail(void* stream);

#endif
