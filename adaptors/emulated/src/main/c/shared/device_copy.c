// SPDX-License-Identifier: Apache-2.0
/* The work that touches memory: copies, fills, and 64-bit words to wait for and to write. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device_lock.h"
#include "device_sync.h"

enum { STAGED_BYTES = 65536 };

/* One shape for all four; `from` is NULL where there is no source, and a block where the memory is pageable. */
typedef struct touch {
  emu_work work;
  emu_block* to_block;
  emu_block* from_block;
  void* to;
  void* from;
  size_t size;
  uint64_t value;
  uint64_t mask;
  emu_condition condition;
} touch;

static void drop(emu_work* work) {
  touch* made = (touch*)work;
  if (made->to_block != NULL) {
    emu_block_unref(made->to_block);
  }
  if (made->from_block != NULL) {
    emu_block_unref(made->from_block);
  }
  free(made);
}

static bool enter_block(emu_block* block) { return block == NULL || emu_block_enter(block); }

static void leave_block(emu_block* block) {
  if (block != NULL) {
    emu_block_leave(block);
  }
}

static bool is_two_blocks(const touch* work) { return work->from_block != work->to_block; }

static bool enter(touch* work) {
  if (!enter_block(work->to_block)) {
    return false;
  }
  if (is_two_blocks(work) && !enter_block(work->from_block)) {
    leave_block(work->to_block);
    return false;
  }
  return true;
}

static void leave(touch* work) {
  if (is_two_blocks(work)) {
    leave_block(work->from_block);
  }
  leave_block(work->to_block);
}

static bool run_copy(emu_work* work) {
  touch* made = (touch*)work;
  bool well = !emu_fault_copy() && enter(made);
  if (well) {
    memmove(made->to, made->from, made->size);
    leave(made);
  }
  drop(work);
  return well;
}

static bool run_fill(emu_work* work) {
  touch* made = (touch*)work;
  bool well = enter(made);
  if (well) {
    memset(made->to, (int)made->value, made->size);
    leave(made);
  }
  drop(work);
  return well;
}

static bool run_wait(emu_work* work) {
  touch* made = (touch*)work;
  unsigned rounds = 0;
  bool reached = false;
  bool well = true;
  while (well && !reached) {
    int64_t looks = emu_now_ns();
    well = enter(made);
    if (well) {
      uint64_t word = atomic_load_explicit((_Atomic uint64_t*)made->to, memory_order_acquire);
      leave(made);
      reached = made->condition(word & made->mask, made->value);
    }
    if (well && !reached) {
      emu_stream_waited_in_vain(looks);
      emu_pause(&rounds);
    }
  }
  emu_stream_waits_no_more();
  drop(work);
  return well;
}

static bool run_write(emu_work* work) {
  touch* made = (touch*)work;
  bool well = enter(made);
  if (well) {
    atomic_store_explicit((_Atomic uint64_t*)made->to, made->value, memory_order_release);
    leave(made);
  }
  drop(work);
  return well;
}

/* The block of one of `kinds` there, or none for pageable memory; false if the memory is neither. */
static bool find(const void* address, size_t size, unsigned kinds, emu_block** block, void** alias) {
  *block = emu_block_find(address, size, kinds);
  *alias = *block == NULL ? (void*)(uintptr_t)address : emu_block_alias(*block, address);
  return *block != NULL || ((kinds & EMU_PAGEABLE) != 0 && emu_alias(address, 1) == NULL);
}

static touch* new_touch(bool (*run)(emu_work*), void* to, unsigned kinds, size_t size) {
  touch* made = calloc(1, sizeof *made);
  if (made != NULL && !find(to, size, kinds, &made->to_block, &made->to)) {
    free(made);
    return NULL;
  }
  if (made != NULL) {
    made->work = (emu_work){.run = run, .drop = drop};
    made->size = size;
  }
  return made;
}

static emu_result queue(touch* made, emu_stream* on) {
  if (made == NULL) {
    return EMU_INVALID_VALUE;
  }
  emu_result result = emu_stream_queue(on, &made->work);
  if (result != EMU_OK) {
    drop(&made->work);
  }
  return result;
}

emu_result emu_synchronise_copy(const void* host, size_t size) {
  emu_kind kind = EMU_PINNED;
  int device = 0;
  return emu_is_strict(EMU_PAGEABLES) && size > STAGED_BYTES && !emu_place(host, &kind, &device)
             ? emu_synchronise(EMU_PAGEABLES, EMU_UNLOCKED, "a copy of pageable memory")
             : EMU_OK;
}

emu_result emu_copy(void* to, unsigned to_kinds, const void* from, unsigned from_kinds, size_t size, emu_stream* on) {
  if (size == 0) {
    return emu_stream_query(on) == EMU_INVALID_HANDLE ? EMU_INVALID_HANDLE : EMU_OK;
  }
  emu_result unlocked = emu_lock_await("a copy");
  if (unlocked != EMU_OK) {
    return unlocked;
  }
  touch* made = new_touch(run_copy, to, to_kinds, size);
  if (made != NULL && !find(from, size, from_kinds, &made->from_block, &made->from)) {
    drop(&made->work);
    return EMU_INVALID_VALUE;
  }
  if (made != NULL) {
    made->work.copies = true;
  }
  return queue(made, on);
}

emu_result emu_fill(void* to, unsigned char value, size_t size, emu_stream* on) {
  if (size == 0) {
    return EMU_OK;
  }
  emu_result unlocked = emu_lock_await("a fill");
  if (unlocked != EMU_OK) {
    return unlocked;
  }
  touch* made = new_touch(run_fill, to, EMU_ANY, size);
  if (made != NULL) {
    made->value = value;
  }
  return queue(made, on);
}

/* "This function cannot be used with managed memory", says cuda.h; the others say nothing. */
enum { WORD_KINDS = EMU_ANY & ~EMU_MANAGED };

static bool is_word(const void* word) { return word != NULL && (uintptr_t)word % sizeof(uint64_t) == 0; }

emu_result emu_wait_value(void* word, uint64_t value, uint64_t mask, emu_condition condition, emu_stream* on) {
  touch* made = is_word(word) ? new_touch(run_wait, word, WORD_KINDS, sizeof value) : NULL;
  if (made != NULL) {
    made->value = value;
    made->mask = mask;
    made->condition = condition;
    made->work.waits = true;
  }
  return queue(made, on);
}

emu_result emu_write_value(void* word, uint64_t value, emu_stream* on) {
  touch* made = is_word(word) ? new_touch(run_write, word, WORD_KINDS, sizeof value) : NULL;
  if (made != NULL) {
    made->value = value;
  }
  return queue(made, on);
}
