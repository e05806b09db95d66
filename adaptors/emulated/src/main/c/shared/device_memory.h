/* What a block of emulated memory is made of; for device_memory.c and device_ipc.c only. */
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
  int fd; /* -1 for host memory */
  bool released;
  atomic_int references;
  pthread_rwlock_t lock; /* held for reading while the bytes are touched */
  emu_block* next;
};

/* An unpublished block with one reference; NULL without memory. It takes `fd` over only when it is published. */
emu_block* emu_block_new(emu_kind kind, size_t size, int fd);

/* Maps the block's descriptor twice, as device_memory.c says. */
bool emu_block_map_device(emu_block* block);

/* Makes the block known; from now on emu_release ends it. */
void emu_block_publish(emu_block* block);

#endif
