// SPDX-License-Identifier: Apache-2.0
#include "huge_pages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1; older ones refuse it */
#endif

enum {
  HUGE_BYTES = 2 * 1024 * 1024,
  FROM_BYTES = 2 * HUGE_BYTES, /* below, little of a buffer would be in the middle */
  /*
   * Gathering 16 MiB takes as long as about seven calls that the caller then saves. Whoever comes back so often is likely to
   * come on. It is tried again after twice as many calls, because another buffer may be there by then.
   */
  FIRST_TRY = 4,
  BUFFERS = 8
};

struct buffer {
  const void* memory;
  size_t bytes;
  unsigned uses;
};

/* The last buffers; a hint only: that one was freed and another has its address does no harm. */
static _Thread_local struct buffer recent[BUFFERS];
static _Thread_local unsigned oldest;

static bool is_power_of_two(unsigned number) { return (number & (number - 1)) == 0; }

static struct buffer* buffer_at(const void* memory, size_t bytes) {
  for (int i = 0; i < BUFFERS; i++) {
    if (recent[i].memory == memory && recent[i].bytes == bytes) {
      return &recent[i];
    }
  }
  struct buffer* made = &recent[oldest++ % BUFFERS];
  *made = (struct buffer){memory, bytes, 0};
  return made;
}

/* The advice below asks nobody but the memory's owner. */
static bool are_forbidden(void) {
  char modes[64] = "[never]"; /* a system without them does not say */
  int fd = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    ssize_t length = read(fd, modes, sizeof modes - 1);
    modes[length > 0 ? length : 0] = '\0';
    (void)close(fd);
  }
  return strstr(modes, "[never]") != NULL;
}

static uintptr_t up(uintptr_t address) { return (address + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES; }

/* Gives `advice` on the middle of the memory. What the system refuses stays as it is. */
static void advise(const void* memory, size_t bytes, int advice) {
  uintptr_t from = up((uintptr_t)memory);
  uintptr_t to = ((uintptr_t)memory + bytes) / HUGE_BYTES * HUGE_BYTES;
  if (from < to && !are_forbidden()) {
    (void)madvise((void*)from, to - from, advice);
  }
}

/* Only what is there is gathered: to make the pages of a file that is mapped privately would copy it. */
void huge_pages_note_use(const void* memory, size_t bytes) {
  if (bytes < FROM_BYTES) {
    return;
  }
  struct buffer* buffer = buffer_at(memory, bytes);
  buffer->uses++;
  if (buffer->uses >= FIRST_TRY && is_power_of_two(buffer->uses)) {
    advise(memory, bytes, MADV_COLLAPSE);
  }
}

void huge_pages_gather(void* memory, size_t bytes) {
  advise(memory, bytes, MADV_POPULATE_WRITE);
  advise(memory, bytes, MADV_COLLAPSE);
}

void* huge_pages_map(int fd, size_t bytes) {
  size_t room = bytes + HUGE_BYTES;
  unsigned char* reserved = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    return MAP_FAILED;
  }
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t before = up((uintptr_t)reserved) - (uintptr_t)reserved;
  size_t end = before + (bytes + page - 1) / page * page;
  void* mapped = mmap(reserved + before, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  if (mapped == MAP_FAILED) {
    (void)munmap(reserved, room);
    return MAP_FAILED;
  }
  if (before > 0) {
    (void)munmap(reserved, before);
  }
  if (end < room) {
    (void)munmap(reserved + end, room - end);
  }
  return mapped;
}
