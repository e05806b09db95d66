// SPDX-License-Identifier: Apache-2.0
#include "window_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "huge_pages.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct window_memory* allocations; /* that were not given back */

static enum engine_result create(struct window_memory* made) {
  struct stat file;
  made->fd = memfd_create("tombolo-window", MFD_CLOEXEC);
  if (made->fd < 0 || ftruncate(made->fd, (off_t)made->bytes) != 0 || fstat(made->fd, &file) != 0) {
    return engine_error(ENGINE_SYSTEM, "no memory file of %zu bytes: %s", made->bytes, strerror(errno));
  }
  made->file = file.st_ino;
  made->memory = huge_pages_map(made->fd, made->bytes);
  if (made->memory == MAP_FAILED) {
    return engine_error(ENGINE_SYSTEM, "cannot map %zu bytes: %s", made->bytes, strerror(errno));
  }
  huge_pages_gather(made->memory, made->bytes);
  return ENGINE_OK;
}

enum engine_result window_allocate(void** memory, size_t bytes) {
  struct window_memory* made = calloc(1, sizeof *made);
  if (made == NULL || bytes == 0) {
    free(made);
    return engine_error(ENGINE_ARGUMENT, "no window of %zu bytes", bytes);
  }
  made->bytes = bytes;
  made->references = 1;
  enum engine_result result = create(made);
  if (result != ENGINE_OK) {
    if (made->fd >= 0) {
      (void)close(made->fd);
    }
    free(made);
    return result;
  }
  *memory = made->memory;
  (void)pthread_mutex_lock(&lock);
  made->next = allocations;
  allocations = made;
  (void)pthread_mutex_unlock(&lock);
  return ENGINE_OK;
}

void window_memory_drop(struct window_memory* borrowed) {
  if (borrowed == NULL) {
    return;
  }
  (void)pthread_mutex_lock(&lock);
  bool last = --borrowed->references == 0;
  (void)pthread_mutex_unlock(&lock);
  if (last) {
    free(borrowed);
  }
}

enum engine_result window_free(void* memory) {
  (void)pthread_mutex_lock(&lock);
  struct window_memory** at = &allocations;
  while (*at != NULL && (*at)->memory != memory) {
    at = &(*at)->next;
  }
  struct window_memory* found = *at;
  if (found != NULL) {
    *at = found->next;
  }
  (void)pthread_mutex_unlock(&lock);
  if (found == NULL) {
    return engine_error(ENGINE_ARGUMENT, "%p was not allocated here", memory);
  }
  atomic_store(&found->freed, true);
  (void)munmap(found->memory, found->bytes);
  (void)close(found->fd);
  window_memory_drop(found);
  return ENGINE_OK;
}

struct window_memory* window_memory_borrow(const void* memory) {
  (void)pthread_mutex_lock(&lock);
  struct window_memory* at = allocations;
  while (at != NULL && at->memory != memory) {
    at = at->next;
  }
  if (at != NULL) {
    at->references++;
  }
  (void)pthread_mutex_unlock(&lock);
  return at;
}
