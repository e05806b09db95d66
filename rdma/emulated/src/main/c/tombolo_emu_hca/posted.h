// SPDX-License-Identifier: Apache-2.0
/* Peers' writes to device memory, which the emulated device sees only after a flush; see emu_posted.h. */
#ifndef HCA_POSTED_H
#define HCA_POSTED_H

#include "../../../../../../adaptors/emulated/src/main/c/include/emu_posted.h"
#include "hca.h"

/* The list behind the memory in a whole mapped descriptor; NULL if it is plain memory. */
struct emu_posted* hca_posted_in(void* mapping, size_t mapped);

/* Writes a peer's payload to `to`, which is in `region`: at once, or when the device flushes. */
void hca_place(hca_region* region, unsigned char* to, const unsigned char* payload, size_t length);

#endif
