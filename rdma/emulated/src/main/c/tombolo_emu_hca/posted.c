// SPDX-License-Identifier: Apache-2.0
#include "posted.h"

#include <string.h>

enum { PAGE = 4096 };

struct emu_posted* hca_posted_in(void* mapping, size_t mapped) {
  if (mapped < 3 * PAGE || (mapped - PAGE) % (2 * PAGE) != 0) {
    return NULL;
  }
  struct emu_posted* list = (struct emu_posted*)((unsigned char*)mapping + mapped - PAGE);
  return list->magic == EMU_POSTED_MAGIC && list->bytes == (mapped - PAGE) / 2 ? list : NULL;
}

static void list_write(emu_posted* list, uint64_t from, uint64_t length) {
  uint32_t last = list->count - 1;
  if (list->count > 0 && list->range[last].from + list->range[last].length == from) {
    list->range[last].length += length;
  } else {
    list->range[list->count].from = from;
    list->range[list->count++].length = length;
  }
}

/* A full list lands early, as posted writes may at any time. */
void hca_place(hca_region* region, unsigned char* to, const unsigned char* payload, size_t length) {
  emu_posted* list = region->posted;
  if (list == NULL) {
    memcpy(to, payload, length);
    return;
  }
  unsigned char* memory = region->mapping;
  uint64_t from = (uint64_t)(to - memory);
  emu_posted_lock(list);
  if (list->count == EMU_POSTED_RANGES) {
    emu_posted_land(list, memory, memory + list->bytes);
  }
  memcpy(memory + list->bytes + from, payload, length);
  list_write(list, from, length);
  emu_posted_unlock(list);
}
