// SPDX-License-Identifier: Apache-2.0
/* Device memory across processes of one vendor: the handle leads to the block's descriptor through /proc. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_memory.h"

typedef struct ticket {
  char magic[8];
  char vendor[16];
  int32_t process;
  int32_t descriptor;
  uint64_t inode; /* descriptors are reused, inodes tell */
  uint64_t size;
} ticket;

_Static_assert(sizeof(ticket) <= EMU_IPC_BYTES, "the ticket must fit into the vendor's handle");

static const char magic[8] = "EMUIPC1";

emu_result emu_ipc_export(const char* vendor, const void* address, unsigned char handle[EMU_IPC_BYTES]) {
  emu_block* block = emu_block_find(address, 1, EMU_DEVICE);
  struct stat status;
  if (block == NULL || block->address != address || fstat(block->fd, &status) != 0) {
    if (block != NULL) {
      emu_block_unref(block);
    }
    return EMU_INVALID_VALUE;
  }
  ticket made = {.process = getpid(), .descriptor = block->fd, .inode = status.st_ino, .size = block->size};
  memcpy(made.magic, magic, sizeof magic);
  (void)snprintf(made.vendor, sizeof made.vendor, "%s", vendor);
  memset(handle, 0, EMU_IPC_BYTES);
  memcpy(handle, &made, sizeof made);
  emu_block_unref(block);
  return EMU_OK;
}

static int open_descriptor(const ticket* from) {
  char path[64];
  (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", from->process, from->descriptor);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_ino != from->inode || (uint64_t)status.st_size < from->size)) {
    (void)close(fd);
    return -1;
  }
  return fd;
}

emu_result emu_ipc_open(const char* vendor, const unsigned char handle[EMU_IPC_BYTES], void** address) {
  ticket from;
  memcpy(&from, handle, sizeof from);
  if (memcmp(from.magic, magic, sizeof magic) != 0 || strncmp(from.vendor, vendor, sizeof from.vendor) != 0) {
    return EMU_INVALID_HANDLE;
  }
  int fd = open_descriptor(&from);
  if (fd < 0) {
    return EMU_INVALID_HANDLE;
  }
  emu_block* block = emu_block_new(EMU_IMPORTED, from.size, fd);
  if (block == NULL || !emu_block_map_device(block)) {
    free(block);
    (void)close(fd);
    return EMU_OUT_OF_MEMORY;
  }
  emu_block_publish(block);
  *address = block->address;
  return EMU_OK;
}
