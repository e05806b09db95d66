/* Windows: each is an anonymous file, which the others open by the number it has in its owner. */
#include "windows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "huge_pages.h"

/* Memory of this process that was allocated for windows. */
struct allocation {
  struct allocation* next;
  void* memory;
  size_t bytes;
  int fd;
};

struct mapping {
  unsigned char* memory;
  size_t bytes;
};

/* A communicator's windows, newest first; `number` counts from 1. */
struct window {
  struct window* next;
  uint64_t number;
  const unsigned char* own; /* as this member knows it */
  struct mapping mapped[ENGINE_MAX_RANKS];
};

/* What a member tells the others of its memory. */
struct offer {
  uint64_t bytes;
  int32_t process;
  int32_t fd; /* -1: it has none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct allocation* allocations;

static enum engine_result create(struct allocation* made) {
  made->fd = memfd_create("tombolo-window", MFD_CLOEXEC);
  if (made->fd < 0 || ftruncate(made->fd, (off_t)made->bytes) != 0) {
    return engine_error(ENGINE_SYSTEM, "no memory file of %zu bytes: %s", made->bytes, strerror(errno));
  }
  made->memory = huge_pages_map(made->fd, made->bytes);
  if (made->memory == MAP_FAILED) {
    return engine_error(ENGINE_SYSTEM, "cannot map %zu bytes: %s", made->bytes, strerror(errno));
  }
  huge_pages_gather(made->memory, made->bytes);
  return ENGINE_OK;
}

enum engine_result window_allocate(void** memory, size_t bytes) {
  struct allocation* made = calloc(1, sizeof *made);
  if (made == NULL || bytes == 0) {
    free(made);
    return engine_error(ENGINE_ARGUMENT, "no window of %zu bytes", bytes);
  }
  made->bytes = bytes;
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

enum engine_result window_free(void* memory) {
  (void)pthread_mutex_lock(&lock);
  struct allocation** at = &allocations;
  while (*at != NULL && (*at)->memory != memory) {
    at = &(*at)->next;
  }
  struct allocation* found = *at;
  if (found != NULL) {
    *at = found->next;
  }
  (void)pthread_mutex_unlock(&lock);
  if (found == NULL) {
    return engine_error(ENGINE_ARGUMENT, "%p was not allocated here", memory);
  }
  (void)munmap(found->memory, found->bytes);
  (void)close(found->fd);
  free(found);
  return ENGINE_OK;
}

static struct offer offer_of(const void* memory) {
  struct offer offer = {.process = (int32_t)getpid(), .fd = -1};
  (void)pthread_mutex_lock(&lock);
  for (const struct allocation* at = allocations; at != NULL; at = at->next) {
    if (at->memory == memory) {
      offer.bytes = at->bytes;
      offer.fd = at->fd;
    }
  }
  (void)pthread_mutex_unlock(&lock);
  return offer;
}

static enum engine_result map(const struct offer* offer, int rank, struct mapping* mapping) {
  char path[64];
  (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", offer->process, offer->fd);
  int fd = offer->fd < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    return engine_error(ENGINE_REMOTE, "rank %d's memory cannot be opened: %s", rank, offer->fd < 0 ? "it is no window's" : strerror(errno));
  }
  void* mapped = huge_pages_map(fd, offer->bytes);
  (void)close(fd);
  if (mapped == MAP_FAILED) {
    return engine_error(ENGINE_SYSTEM, "cannot map %llu bytes of rank %d: %s", (unsigned long long)offer->bytes, rank,
                        strerror(errno));
  }
  *mapping = (struct mapping){mapped, offer->bytes};
  return ENGINE_OK;
}

static void unmap(struct window* window) {
  for (int rank = 0; rank < ENGINE_MAX_RANKS; rank++) {
    if (window->mapped[rank].memory != NULL) {
      (void)munmap(window->mapped[rank].memory, window->mapped[rank].bytes);
    }
  }
  free(window);
}

/* Everyone's offers, and then whether everyone could map them all: a window is one at all members or at none. */
static enum engine_result map_all(struct engine_comm* comm, const void* memory, struct window* window) {
  struct offer mine = offer_of(memory);
  struct offer offers[ENGINE_MAX_RANKS];
  struct engine_call ask = {.what = ENGINE_ALL_GATHER, .send = &mine, .receive = offers, .count = sizeof mine, .type = ENGINE_U8};
  enum engine_result result = engine_collective(comm, &ask);
  if (result != ENGINE_OK) {
    return result;
  }
  for (int rank = 0; result == ENGINE_OK && rank < comm->size; rank++) {
    result = map(&offers[rank], rank, &window->mapped[rank]);
  }
  uint8_t failed = result != ENGINE_OK;
  uint8_t any = 0;
  struct engine_call tell = {.what = ENGINE_ALL_REDUCE, .send = &failed, .receive = &any, .count = 1, .type = ENGINE_U8, .op = ENGINE_MAX};
  enum engine_result told = engine_collective(comm, &tell);
  if (told != ENGINE_OK || result != ENGINE_OK) {
    return result != ENGINE_OK ? result : told;
  }
  return any == 0 ? ENGINE_OK : engine_error(ENGINE_REMOTE, "another member cannot map everyone's memory");
}

enum engine_result window_register(struct engine_comm* comm, void* memory) {
  struct window* window = calloc(1, sizeof *window);
  if (window == NULL) {
    return engine_error(ENGINE_SYSTEM, "no memory for a window"); /* the others wait, until they are aborted */
  }
  enum engine_result result = map_all(comm, memory, window);
  if (result != ENGINE_OK) {
    unmap(window);
    return result;
  }
  struct window* newest = comm->extension;
  window->number = newest == NULL ? 1 : newest->number + 1;
  window->own = memory;
  window->next = newest;
  comm->extension = window;
  return ENGINE_OK;
}

struct window_place window_find(const struct engine_comm* comm, const void* memory, size_t bytes) {
  for (const struct window* window = comm->extension; window != NULL; window = window->next) {
    size_t offset = (size_t)((uintptr_t)memory - (uintptr_t)window->own); /* huge if the memory is before it */
    size_t whole = window->mapped[comm->rank].bytes;
    if (offset < whole && bytes <= whole - offset) {
      return (struct window_place){window->number, offset};
    }
  }
  return (struct window_place){0, 0};
}

unsigned char* window_at(const struct engine_comm* comm, int rank, struct window_place place, size_t bytes) {
  const struct window* window = comm->extension;
  while (window != NULL && window->number != place.window) {
    window = window->next;
  }
  bool fits = window != NULL && place.offset <= window->mapped[rank].bytes && bytes <= window->mapped[rank].bytes - place.offset;
  return fits ? window->mapped[rank].memory + place.offset : NULL;
}

void window_end(struct engine_comm* comm) {
  for (struct window* window = comm->extension; window != NULL;) {
    struct window* next = window->next;
    unmap(window);
    window = next;
  }
  comm->extension = NULL;
}
