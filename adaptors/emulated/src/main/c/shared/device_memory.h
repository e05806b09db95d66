// SPDX-License-Identifier: Apache-2.0
/* What a block of emulated memory is made of; for the files device_memory.c, device_ipc.c and device_export.c only. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "device_engine.h"

struct emu_block {
  emu_kind kind;
  unsigned char* address; /* as the API knows it */
  unsigned char* alias;   /* where the emulator reads and writes */
  size_t size;
  size_t mapped;
  int device; /* that was in use when it was made */
  int fd; /* -1 for host memory */
  unsigned char* posted; /* the shadow of emu_posted.h, and behind it the list; NULL until it is exported */
  size_t posted_bytes;
  bool released;
  atomic_int references;
  pthread_rwlock_t lock; /* held for reading while the bytes are touched */
  emu_block* next;
};

/* An unpublished block with one reference; NULL without memory. It takes `fd` over only when it is published. */
emu_block* emu_block_new(emu_kind kind, size_t size, int fd);

/* Maps the block's descriptor twice, as device_memory.c says. */
bool emu_block_map_device(emu_block* block);

/* As emu_block_enter, and alone: nothing else touches the block until emu_block_leave. */
bool emu_block_hold(emu_block* block);

/* Calls `visit` with every block there is; blocks come and go only before or after. */
void emu_blocks_each(void (*visit)(emu_block* block));

/* Makes the block known; from now on emu_release ends it. */
void emu_block_publish(emu_block* block);

#endif
