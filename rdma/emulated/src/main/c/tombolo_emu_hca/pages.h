// SPDX-License-Identifier: Apache-2.0
#ifndef HCA_PAGES_H
#define HCA_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Could a kernel pin these pages for reading, or for writing too: is all of the range mapped with those rights? If not,
 * errno says why: EFAULT, or that the process may open no more files, one of which is needed here, other than in a kernel.
 */
bool hca_can_pin(const void* address, size_t length, bool for_writing);

#endif
