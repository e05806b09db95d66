// SPDX-License-Identifier: Apache-2.0
/* Opening the machine's UCX, so that what is wrong with it is known before jucx is asked. */
#ifndef TOMBOLO_UCX_LIBRARY_H
#define TOMBOLO_UCX_LIBRARY_H

#include <stddef.h>

/*
 * Opens the UCP library called name, for good: UCX cannot be unloaded. Returns its version, as in "1.13.1"; else
 * NULL, with the loader's words in problem.
 */
const char* ucx_open(const char* name, char* problem, size_t problem_bytes);

#endif
