// SPDX-License-Identifier: Apache-2.0
/*
 * Huge pages behind large buffers. What another member reaches through the system, the system looks up page by page, and the
 * processor all that it reads and writes. The content of a buffer never changes by it, nor where it is. Nothing is done where
 * the system's administrator said "never", nor to memory whose owner said so (MADV_NOHUGEPAGE); what is pinned stays as it is.
 */
#ifndef TOMBOLO_HOST_CCL_HUGE_PAGES_H
#define TOMBOLO_HOST_CCL_HUGE_PAGES_H

#include <stddef.h>

/* Tells that a call of this thread uses `memory`: once a large buffer has been used a few times, it is gathered. */
void huge_pages_note_use(const void* memory, size_t bytes);

/* Makes the pages of the middle of this memory, huge ones as far as there are any: up to some milliseconds for each MiB. */
void huge_pages_gather(void* memory, size_t bytes);

/* As mmap of the beginning of a file, shared, to read and write, where huge pages of the file fit. */
void* huge_pages_map(int fd, size_t bytes);

#endif
