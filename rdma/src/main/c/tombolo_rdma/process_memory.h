// SPDX-License-Identifier: Apache-2.0
/*
 * Another process's memory, read in place. The system allows it to processes of one user that see each other's pids, unless
 * ptrace is restricted or the call is filtered. Addresses go to the kernel only: they are never used here.
 */
#ifndef TOMBOLO_PROCESS_MEMORY_H
#define TOMBOLO_PROCESS_MEMORY_H

#include <stdint.h>

/* 1 if this process may read the memory of `process`, 0 if the system forbids it or knows no such process here. */
int process_may_be_read(int process);

/* Copies `bytes` from `from` in `process` to `to` in this one: 0, or -errno if not all of them could be read. */
int process_read(int process, void* to, uint64_t from, uint64_t bytes);

#endif
