/* Stores that go round the cache: for results that would be gone from it before anybody reads them. */
#ifndef TOMBOLO_HOST_CCL_NONTEMPORAL_H
#define TOMBOLO_HOST_CCL_NONTEMPORAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether to write a result of `bytes` so. */
bool nontemporal_pays(size_t bytes);

/* As memcpy; visible to others no later than the next release. */
void nontemporal_copy(void* to, const void* from, size_t bytes);

#endif
