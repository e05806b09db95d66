// SPDX-License-Identifier: Apache-2.0
/* Stores that go round the cache: for results that would be gone from it before anybody reads them. */
#ifndef TOMBOLO_HOST_CCL_NONTEMPORAL_H
#define TOMBOLO_HOST_CCL_NONTEMPORAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What is combined and then written at once: in the first-level cache, and little enough that the operands of the next are
 * read while stores drain. Measured beside 16 KiB and a wait for the stores behind each, in windows of 16 MiB: 0.74 of the
 * time.
 */
enum { GRAIN_BYTES = 4 * 1024 };

/* Whether to write a result of `bytes` so. */
bool nontemporal_pays(size_t bytes);

/* As memcpy, but others see it only after nontemporal_end and a release. */
void nontemporal_copy(void* to, const void* from, size_t bytes);

/*
 * Likewise to byte `at` of each of `places`. Meanwhile the cache fetches what is wanted next: as many bytes of each of as many
 * `operands`, from where these end. Measured beside one copy after another, in windows of 64 MiB: 0.83 of the time.
 */
void nontemporal_spread(unsigned char* const* to, const unsigned char* const* operands, int places, size_t at, const void* from,
                        size_t bytes);

/* Behind the last of many copies: it waits until all are written, which costs as much as some KiB. */
void nontemporal_end(void);

#endif
