// SPDX-License-Identifier: Apache-2.0
/* Protection domains and memory regions; keys; what they allow. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "efa.h"
#include "hca.h"
#include "pages.h"
#include "posted.h"
#include "settings.h"
#include "verbs.h"

typedef struct domain {
  struct ib_pd base;
  int users;
} domain;

HCA_VERB struct ib_pd* ibv_alloc_pd(struct ib_context* base) {
  domain* made = hca_may_make() ? calloc(1, sizeof *made) : NULL;
  if (made != NULL) {
    made->base.context = base;
    hca_lock(hca_of(base));
    hca_own(hca_of(base), 1);
    hca_unlock(hca_of(base));
  }
  return made == NULL ? NULL : &made->base;
}

HCA_VERB int ibv_dealloc_pd(struct ib_pd* pd) {
  if (hca_refuses(hca_of(pd->context))) {
    return EIO;
  }
  hca_context* context = hca_of(pd->context);
  hca_lock(context);
  int users = ((domain*)pd)->users;
  hca_own(context, users == 0 ? -1 : 0);
  hca_unlock(context);
  if (users != 0) {
    return EBUSY;
  }
  free(pd);
  return 0;
}

void hca_use_domain(struct ib_pd* pd, int change) {
  ((domain*)pd)->users += change;
  hca_count(change);
}

/* ---- keys ---- */

static hca_key* key_at(hca_context* context, uint32_t key) {
  uint32_t index = key >> 8;
  return index < context->key_count && context->keys[index].tag == (uint8_t)key ? &context->keys[index] : NULL;
}

static bool is_free(const hca_key* key) { return key->region == NULL && key->window == NULL; }

static bool grow(hca_context* context) {
  uint32_t count = context->key_count == 0 ? 64 : context->key_count * 2;
  hca_key* keys = realloc(context->keys, count * sizeof *keys);
  if (keys == NULL) {
    return false;
  }
  for (uint32_t i = context->key_count; i < count; i++) {
    keys[i] = (hca_key){NULL, NULL, 0};
  }
  context->keys = keys;
  context->key_count = count;
  return true;
}

uint8_t hca_next_tag(uint8_t tag) {
  int64_t bits = hca_fault(HCA_TAG_BITS);
  return (uint8_t)((tag + 1) & (bits > 0 && bits < 8 ? (1 << bits) - 1 : 0xff));
}

/* Slot 0 is left out: 0 is nobody's key. */
uint32_t hca_key_new(hca_context* context, hca_region* region, hca_window* window) {
  uint32_t index = 1;
  while (index < context->key_count && !is_free(&context->keys[index])) {
    index++;
  }
  if (index >= context->key_count && !grow(context)) {
    return 0;
  }
  hca_key* key = &context->keys[index];
  key->region = region;
  key->window = window;
  return index << 8 | (key->tag = hca_next_tag(key->tag));
}

void hca_key_set(hca_context* context, uint32_t key) { context->keys[key >> 8].tag = (uint8_t)key; }

void hca_key_drop(hca_context* context, uint32_t key) {
  hca_key* slot = &context->keys[key >> 8];
  slot->region = NULL;
  slot->window = NULL;
  slot->tag = hca_next_tag(slot->tag);
}

/* ---- what they allow ---- */

static bool covers(uint64_t start, uint64_t length, uint64_t address, uint64_t bytes) {
  return address >= start && address - start <= length && bytes <= length - (address - start);
}

static unsigned char* in_region(const hca_region* region, uint64_t address, size_t length, unsigned access) {
  bool is_allowed = (region->access & access) == access && covers(region->iova, region->base.length, address, length);
  return is_allowed ? region->bytes + (address - region->iova) : NULL;
}

unsigned char* hca_local(hca_context* context, struct ib_pd* pd, uint32_t lkey, uint64_t address, size_t length,
                         unsigned access) {
  const hca_key* key = key_at(context, lkey);
  return key != NULL && key->region != NULL && key->region->base.pd == pd
             ? in_region(key->region, address, length, access)
             : NULL;
}

unsigned char* hca_remote(hca_context* context, struct ib_pd* pd, uint32_t rkey, uint64_t address, size_t length,
                          unsigned access) {
  const hca_key* key = key_at(context, rkey);
  if (key == NULL || key->window == NULL) {
    return hca_local(context, pd, rkey, address, length, access);
  }
  const hca_window* window = key->window;
  bool is_allowed = window->region != NULL && window->base.pd == pd && (window->access & access) == access &&
                    covers(window->start, window->length, address, length);
  return is_allowed ? in_region(window->region, address, length, 0) : NULL;
}

hca_region* hca_region_of(hca_context* context, uint32_t rkey) {
  const hca_key* key = key_at(context, rkey);
  return key->window == NULL ? key->region : key->window->region;
}

/* ---- regions ---- */

static struct ib_mr* publish(struct ib_pd* pd, hca_region* region) {
  hca_registers_memory();
  hca_context* context = hca_of(pd->context);
  region->base.context = pd->context;
  region->base.pd = pd;
  hca_lock(context);
  uint32_t key = hca_may_make() ? hca_key_new(context, region, NULL) : 0;
  if (key != 0) {
    region->base.lkey = region->base.rkey = region->base.handle = key;
    hca_use_domain(pd, 1);
  }
  hca_unlock(context);
  if (key == 0) {
    free(region);
    errno = ENOMEM;
    return NULL;
  }
  return &region->base;
}

static hca_region* new_region(void* address, unsigned char* bytes, size_t length, uint64_t iova, unsigned access) {
  hca_region* region = calloc(1, sizeof *region);
  if (region == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  region->base.addr = address;
  region->base.length = length;
  region->bytes = bytes;
  region->iova = iova;
  region->access = access;
  return region;
}

static _Atomic int64_t locked_bytes;

/* As the kernel counts it against RLIMIT_MEMLOCK (ib_umem_get). */
static bool lock_memory(size_t length) {
  int64_t limit_bytes = hca_fault(HCA_MEMLOCK_KIB) * 1024;
  int64_t before = atomic_fetch_add(&locked_bytes, (int64_t)length);
  bool may = limit_bytes == 0 || before + (int64_t)length <= limit_bytes;
  if (!may) {
    (void)atomic_fetch_sub(&locked_bytes, (int64_t)length);
    errno = ENOMEM;
  }
  return may;
}

/* 0, or why not: as the kernel has it, who lets peers write must be allowed to write. */
static int refusal(const struct ib_pd* pd, size_t length, unsigned access) {
  bool makes_sense = length > 0 && ((access & IBV_ACCESS_REMOTE_WRITE) == 0 || (access & IBV_ACCESS_LOCAL_WRITE) != 0);
  return makes_sense ? hca_efa_refuses_rights(hca_of(pd->context), access) : EINVAL;
}

HCA_VERB struct ib_mr* ibv_reg_mr_iova2(struct ib_pd* pd, void* address, size_t length, uint64_t iova,
                                        unsigned access) {
  int refused = refusal(pd, length, access);
  if (refused != 0) {
    errno = refused;
    return NULL;
  }
  if (!hca_can_pin(address, length, (access & IBV_ACCESS_LOCAL_WRITE) != 0)) {
    return NULL;
  }
  if (!lock_memory(length)) {
    return NULL;
  }
  hca_region* region = new_region(address, address, length, iova, access);
  struct ib_mr* mr = region == NULL ? NULL : publish(pd, region);
  if (mr == NULL) {
    (void)atomic_fetch_sub(&locked_bytes, (int64_t)length);
  }
  return mr;
}

HCA_VERB struct ib_mr* ibv_reg_mr_iova(struct ib_pd* pd, void* address, size_t length, uint64_t iova, int access) {
  return ibv_reg_mr_iova2(pd, address, length, iova, (unsigned)access);
}

HCA_VERB struct ib_mr* ibv_reg_mr(struct ib_pd* pd, void* address, size_t length, int access) {
  return ibv_reg_mr_iova2(pd, address, length, (uint64_t)(uintptr_t)address, (unsigned)access);
}

/* Any descriptor that can be mapped and shared stands for a dma-buf: device memory here is a memfd. */
HCA_VERB struct ib_mr* ibv_reg_dmabuf_mr(struct ib_pd* pd, uint64_t offset, size_t length, uint64_t iova, int fd,
                                         int access) {
  if (hca_fault(HCA_NO_DMABUF) != 0 || !hca_of(pd->context)->profile->has_dmabuf) {
    errno = EOPNOTSUPP;
    return NULL;
  }
  off_t end = lseek(fd, 0, SEEK_END);
  size_t mapped = end < 0 ? 0 : (size_t)end;
  int refused = refusal(pd, length, (unsigned)access);
  if (refused != 0 || end < 0 || offset > mapped || length > mapped - offset) {
    errno = end < 0 ? EBADF : refused != 0 ? refused : EINVAL;
    return NULL;
  }
  int rights = PROT_READ | ((access & IBV_ACCESS_LOCAL_WRITE) != 0 ? PROT_WRITE : 0);
  void* mapping = mmap(NULL, mapped, rights, MAP_SHARED, fd, 0);
  if (mapping == MAP_FAILED) {
    return NULL;
  }
  struct emu_posted* posted = hca_posted_in(mapping, mapped);
  if (posted != NULL && (offset > posted->bytes || length > posted->bytes - offset)) {
    (void)munmap(mapping, mapped);
    errno = EINVAL;
    return NULL;
  }
  hca_region* region = new_region(NULL, (unsigned char*)mapping + offset, length, iova, (unsigned)access);
  if (region != NULL) {
    region->mapping = mapping;
    region->mapped = mapped;
    region->posted = posted;
  }
  struct ib_mr* mr = region == NULL ? NULL : publish(pd, region);
  if (mr == NULL) {
    (void)munmap(mapping, mapped);
  }
  return mr;
}

HCA_VERB int ibv_dereg_mr(struct ib_mr* mr) {
  if (hca_refuses(hca_of(mr->context))) {
    return EIO;
  }
  hca_region* region = (hca_region*)mr;
  hca_context* context = hca_of(mr->context);
  hca_lock(context);
  bool is_bound = region->windows != 0;
  if (!is_bound) {
    hca_key_drop(context, mr->rkey);
    hca_use_domain(mr->pd, -1);
  }
  int error = hca_end(context);
  hca_unlock(context);
  if (is_bound) {
    return EBUSY;
  }
  if (region->mapping != NULL) {
    (void)munmap(region->mapping, region->mapped);
  } else {
    (void)atomic_fetch_sub(&locked_bytes, (int64_t)mr->length);
  }
  free(region);
  return error;
}
