// SPDX-License-Identifier: Apache-2.0
/* Device memory as a dma-buf, and NICs' writes to it, which wait for a flush; see emu_posted.h. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device_memory.h"
#include "emu_posted.h"

/* The shadow and the list behind a block's bytes, mapped once. */
static bool map_posted(emu_block* block) {
  if (block->posted != NULL || emu_is_coherent()) {
    return true;
  }
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  _Static_assert(sizeof(emu_posted) <= 4096, "the list must fit into a page");
  if (ftruncate(block->fd, (off_t)(2 * block->mapped + page)) != 0) {
    return false;
  }
  void* shadow = mmap(NULL, block->mapped + page, PROT_READ | PROT_WRITE, MAP_SHARED, block->fd, (off_t)block->mapped);
  if (shadow == MAP_FAILED) {
    return false;
  }
  block->posted_bytes = block->mapped + page;
  emu_posted* list = (emu_posted*)((unsigned char*)shadow + block->mapped);
  list->bytes = block->mapped;
  list->magic = EMU_POSTED_MAGIC;
  block->posted = shadow;
  return true;
}

emu_result emu_export_dma_buf(const void* address, size_t size, int* fd) {
  emu_block* block = emu_block_find(address, 1, EMU_DEVICE);
  if (block == NULL) {
    return EMU_INVALID_VALUE;
  }
  emu_result result = EMU_INVALID_VALUE;
  bool is_whole = block->address == address && size <= block->mapped && size % (size_t)sysconf(_SC_PAGESIZE) == 0;
  if (is_whole && emu_block_hold(block)) {
    *fd = map_posted(block) ? fcntl(block->fd, F_DUPFD_CLOEXEC, 0) : -1;
    result = *fd < 0 ? EMU_OUT_OF_MEMORY : EMU_OK;
    emu_block_leave(block);
  }
  emu_block_unref(block);
  return result;
}

static void land(emu_block* block) {
  if (block->posted != NULL && emu_block_hold(block)) {
    emu_posted* list = (emu_posted*)(block->posted + block->mapped);
    emu_posted_lock(list);
    emu_posted_land(list, block->alias, block->posted);
    emu_posted_unlock(list);
    emu_block_leave(block);
  }
}

void emu_flush(void) { emu_blocks_each(land); }
