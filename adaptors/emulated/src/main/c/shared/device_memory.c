// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of the emulated device. A device block is one memfd mapped twice: without access at its device address, so that
 * host code which touches it faults as it would with real device memory, and readable at its alias, where the emulator
 * works. Nothing has a name in a file system, so nothing stays behind when a process is killed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device_memory.h"
#include "device_sync.h"
#include "emu_settings.h"

enum { PAGES = 1024 };

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static emu_block* blocks;
static size_t used;   /* bytes of the devices' memory */
static size_t pinned; /* bytes of the host's that were allocated here */

static size_t round_up(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (size + page - 1) / page * page;
}

static void unmap(emu_block* block) {
  if (block->kind != EMU_REGISTERED) {
    (void)munmap(block->alias, block->mapped);
  }
  if (block->alias != block->address) {
    (void)munmap((void*)block->address, block->mapped);
  }
  if (block->posted != NULL) {
    (void)munmap(block->posted, block->posted_bytes);
  }
  if (block->fd >= 0) {
    (void)close(block->fd);
  }
}

void emu_block_unref(emu_block* block) {
  if (atomic_fetch_sub(&block->references, 1) == 1) {
    (void)pthread_rwlock_destroy(&block->lock);
    free(block);
  }
}

static bool unless_released(emu_block* block) {
  if (block->released) {
    (void)pthread_rwlock_unlock(&block->lock);
    return false;
  }
  return true;
}

bool emu_block_enter(emu_block* block) {
  (void)pthread_rwlock_rdlock(&block->lock);
  return unless_released(block);
}

bool emu_block_hold(emu_block* block) {
  (void)pthread_rwlock_wrlock(&block->lock);
  return unless_released(block);
}

void emu_block_leave(emu_block* block) { (void)pthread_rwlock_unlock(&block->lock); }

void* emu_block_alias(const emu_block* block, const void* address) {
  return block->alias + ((const unsigned char*)address - block->address);
}

static bool covers(const emu_block* block, const void* address, size_t size, unsigned kinds) {
  uintptr_t from = (uintptr_t)address;
  uintptr_t start = (uintptr_t)block->address;
  return (block->kind & kinds) != 0 && from >= start && from - start <= block->size && size <= block->size - (from - start);
}

emu_block* emu_block_find(const void* address, size_t size, unsigned kinds) {
  (void)pthread_mutex_lock(&table);
  emu_block* block = blocks;
  while (block != NULL && !covers(block, address, size, kinds)) {
    block = block->next;
  }
  if (block != NULL) {
    atomic_fetch_add(&block->references, 1);
  }
  (void)pthread_mutex_unlock(&table);
  return block;
}

bool emu_place(const void* address, emu_kind* kind, int* device) {
  emu_block* block = emu_block_find(address, 1, EMU_ANY);
  if (block == NULL) {
    return false;
  }
  *kind = block->kind;
  *device = block->device;
  emu_block_unref(block);
  return true;
}

void emu_blocks_each(void (*visit)(emu_block* block)) {
  (void)pthread_mutex_lock(&table);
  for (emu_block* block = blocks; block != NULL; block = block->next) {
    visit(block);
  }
  (void)pthread_mutex_unlock(&table);
}

void* emu_alias(const void* address, size_t size) {
  emu_block* block = emu_block_find(address, size, EMU_ANY);
  if (block == NULL) {
    return NULL;
  }
  void* alias = emu_block_alias(block, address);
  emu_block_unref(block);
  return alias;
}

emu_block* emu_block_new(emu_kind kind, size_t size, int fd) {
  emu_block* block = calloc(1, sizeof *block);
  if (block != NULL) {
    block->kind = kind;
    block->size = size;
    block->mapped = round_up(size);
    block->device = emu_used_device();
    block->fd = fd;
    atomic_init(&block->references, 1);
    (void)pthread_rwlock_init(&block->lock, NULL);
  }
  return block;
}

bool emu_block_map_device(emu_block* block) {
  void* alias = mmap(NULL, block->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, block->fd, 0);
  void* address = mmap(NULL, block->mapped, PROT_NONE, MAP_SHARED, block->fd, 0);
  if (alias != MAP_FAILED && address != MAP_FAILED) {
    block->alias = alias;
    block->address = address;
    return true;
  }
  if (alias != MAP_FAILED) {
    (void)munmap(alias, block->mapped);
  }
  if (address != MAP_FAILED) {
    (void)munmap(address, block->mapped);
  }
  return false;
}

void emu_block_publish(emu_block* block) {
  (void)pthread_mutex_lock(&table);
  block->next = blocks;
  blocks = block;
  (void)pthread_mutex_unlock(&table);
}

static bool reserve(size_t* of, size_t size, size_t most) {
  (void)pthread_mutex_lock(&table);
  bool fits = size <= most && *of <= most - size;
  *of += fits ? size : 0;
  (void)pthread_mutex_unlock(&table);
  return fits;
}

static void unreserve(size_t* of, size_t size) {
  (void)pthread_mutex_lock(&table);
  *of -= size;
  (void)pthread_mutex_unlock(&table);
}

static emu_block* new_device_block(size_t size) {
  int fd = memfd_create("tombolo-emulated-device", MFD_CLOEXEC);
  emu_block* block = fd < 0 ? NULL : emu_block_new(EMU_DEVICE, size, fd);
  if (block != NULL && ftruncate(fd, (off_t)block->mapped) == 0 && emu_block_map_device(block)) {
    return block;
  }
  free(block);
  if (fd >= 0) {
    (void)close(fd);
  }
  return NULL;
}

emu_result emu_allocate(size_t size, void** address) {
  if (size == 0 || address == NULL) {
    return EMU_INVALID_VALUE;
  }
  emu_result ready = emu_synchronise(EMU_ALLOCATIONS, EMU_UNLOCKED, "an allocation of the device's memory");
  if (ready != EMU_OK) {
    return ready;
  }
  if (emu_fault_allocation() || emu_fault_making(EMU_DEVICE_BLOCKS) || !reserve(&used, size, emu_total_memory())) {
    return EMU_OUT_OF_MEMORY;
  }
  emu_block* block = new_device_block(size);
  if (block == NULL) {
    unreserve(&used, size);
    return EMU_OUT_OF_MEMORY;
  }
  emu_block_publish(block);
  emu_made(EMU_DEVICE_BLOCKS, 1);
  *address = (void*)block->address;
  return EMU_OK;
}

static emu_result allocate_host(emu_kind kind, size_t size, void** address, const void* caller) {
  if (size == 0 || address == NULL) {
    return EMU_INVALID_VALUE;
  }
  emu_result ready = emu_synchronise_in(EMU_ALLOCATIONS, EMU_UNLOCKED, "an allocation of page-locked or managed memory", caller);
  if (ready != EMU_OK) {
    return ready;
  }
  if (emu_fault_making(EMU_LOCKED_BLOCKS) || !reserve(&pinned, size, emu_pinned_limit())) {
    return EMU_OUT_OF_HOST_MEMORY;
  }
  void* host = mmap(NULL, round_up(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  emu_block* block = host == MAP_FAILED ? NULL : emu_block_new(kind, size, -1);
  if (block == NULL) {
    if (host != MAP_FAILED) {
      (void)munmap(host, round_up(size));
    }
    unreserve(&pinned, size);
    return EMU_OUT_OF_HOST_MEMORY;
  }
  block->address = block->alias = host;
  emu_block_publish(block);
  emu_made(EMU_LOCKED_BLOCKS, 1);
  *address = host;
  return EMU_OK;
}

emu_result emu_allocate_pinned(size_t size, void** address) {
  return allocate_host(EMU_PINNED, size, address, __builtin_return_address(0));
}

emu_result emu_allocate_managed(size_t size, void** address) {
  return allocate_host(EMU_MANAGED, size, address, __builtin_return_address(0));
}

emu_result emu_allocate_signal(size_t size, void** address) {
  emu_result result = allocate_host(EMU_SIGNAL, size, address, __builtin_return_address(0));
  if (result == EMU_OK) {
    memset(*address, 0xFF, size); /* no document says what is in it: every wait for it would be over */
  }
  return result;
}

/* What is there already: memory that was allocated here cannot be registered in addition, nor that registration be taken back. */
static emu_result presence(const void* address) {
  emu_block* present = emu_block_find(address, 1, EMU_ANY);
  if (present == NULL) {
    return EMU_NOT_REGISTERED;
  }
  emu_result result = present->kind == EMU_REGISTERED ? EMU_ALREADY_REGISTERED : EMU_INVALID_VALUE;
  emu_block_unref(present);
  return result;
}

static bool is_mapped(const void* host, size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uintptr_t from = (uintptr_t)host / page * page;
  uintptr_t to = ((uintptr_t)host + size + page - 1) / page * page;
  unsigned char seen[PAGES];
  while (from < to) {
    size_t bytes = to - from < PAGES * page ? to - from : PAGES * page;
    if (mincore((void*)from, bytes, seen) != 0) {
      return false;
    }
    from += bytes;
  }
  return true;
}

emu_result emu_register(void* host, size_t size) {
  if (host == NULL || size == 0 || !is_mapped(host, size)) {
    return EMU_INVALID_VALUE;
  }
  emu_result present = presence(host);
  if (present != EMU_NOT_REGISTERED) {
    return present;
  }
  emu_result ready = emu_synchronise(EMU_REGISTRATIONS, EMU_UNLOCKED, "a registration of host memory");
  if (ready != EMU_OK) {
    return ready;
  }
  emu_block* block = emu_fault_making(EMU_PINNED_RANGES) ? NULL : emu_block_new(EMU_REGISTERED, size, -1);
  if (block == NULL) {
    return EMU_OUT_OF_MEMORY;
  }
  block->address = block->alias = host;
  emu_block_publish(block);
  emu_made(EMU_PINNED_RANGES, 1);
  return EMU_OK;
}

emu_result emu_host_pointer(void* host, void** device) {
  emu_block* block = emu_block_find(host, 1, EMU_PINNED | EMU_REGISTERED);
  if (block == NULL || device == NULL) {
    return EMU_INVALID_VALUE;
  }
  emu_block_unref(block);
  uintptr_t elsewhere = emu_quirk("TOMBOLO_EMU_LACKS", "host-pointers") ? (uintptr_t)1 << 60 : 0;
  *device = (void*)((uintptr_t)host | elsewhere);
  return EMU_OK;
}

static emu_block* withdraw(const void* address, unsigned kinds) {
  (void)pthread_mutex_lock(&table);
  emu_block** link = &blocks;
  while (*link != NULL && ((*link)->address != address || ((*link)->kind & kinds) == 0)) {
    link = &(*link)->next;
  }
  emu_block* block = *link;
  if (block != NULL) {
    *link = block->next;
    used -= block->kind == EMU_DEVICE ? block->size : 0;
    pinned -= (block->kind & (EMU_DEVICE | EMU_REGISTERED)) == 0 ? block->size : 0;
  }
  (void)pthread_mutex_unlock(&table);
  return block;
}

static void count_released(emu_kind kind) {
  if (kind != EMU_IMPORTED) {
    emu_made(kind == EMU_DEVICE ? EMU_DEVICE_BLOCKS : kind == EMU_REGISTERED ? EMU_PINNED_RANGES : EMU_LOCKED_BLOCKS, -1);
  }
}

/* Work that is touching the block right now ends first; work that comes to it later fails its stream. */
emu_result emu_release(void* address, unsigned kinds) {
  emu_result ready = (kinds & EMU_REGISTERED) != 0 ? emu_synchronise(EMU_REGISTRATIONS, EMU_LOCKED, "the end of a registration")
                                                   : emu_synchronise(EMU_FREES, EMU_LOCKED, "a free");
  if (ready != EMU_OK) {
    return ready;
  }
  emu_block* block = withdraw(address, kinds);
  if (block == NULL) {
    return (kinds & EMU_REGISTERED) != 0 && presence(address) != EMU_INVALID_VALUE ? EMU_NOT_REGISTERED : EMU_INVALID_VALUE;
  }
  (void)pthread_rwlock_wrlock(&block->lock);
  block->released = true;
  unmap(block);
  count_released(block->kind);
  (void)pthread_rwlock_unlock(&block->lock);
  emu_block_unref(block);
  return EMU_OK;
}
