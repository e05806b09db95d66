// SPDX-License-Identifier: Apache-2.0
/* Windows: everyone maps everyone's memory, by the number that its file has in its owner. */
#include "windows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "huge_pages.h"

struct mapping {
  unsigned char* memory;
  size_t bytes;
};

/* A communicator's windows, newest first; `number` counts from 1. */
struct window {
  struct window* next;
  uint64_t number;
  struct window_memory* own; /* what this member brought */
  struct mapping mapped[ENGINE_MAX_RANKS];
};

/* What a member tells the others of its memory. */
struct offer {
  uint64_t bytes;
  uint64_t file;
  int32_t process;
  int32_t fd; /* -1: it has none */
};

static struct offer offer_of(const struct window_memory* own) {
  int32_t process = (int32_t)getpid();
  return own == NULL ? (struct offer){.process = process, .fd = -1} : (struct offer){own->bytes, own->file, process, own->fd};
}

/* Whether `fd` is the file that was offered: in another namespace the same numbers may be another's. */
static bool is_offered(int fd, const struct offer* offer) {
  struct stat file;
  return fstat(fd, &file) == 0 && file.st_ino == offer->file && (uint64_t)file.st_size == offer->bytes;
}

static enum engine_result map(const struct offer* offer, int rank, struct mapping* mapping) {
  char path[64];
  (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", offer->process, offer->fd);
  int fd = offer->fd < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    return engine_error(ENGINE_REMOTE, "rank %d's memory cannot be opened: %s", rank, offer->fd < 0 ? "it is no window's" : strerror(errno));
  }
  if (!is_offered(fd, offer)) {
    (void)close(fd);
    return engine_error(ENGINE_REMOTE, "rank %d's memory cannot be opened: its process is not seen from here", rank);
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

static void unmap(struct mapping* mapping) {
  if (mapping->memory != NULL) {
    (void)munmap(mapping->memory, mapping->bytes);
  }
  *mapping = (struct mapping){NULL, 0};
}

static void end(struct window* window) {
  for (int rank = 0; rank < ENGINE_MAX_RANKS; rank++) {
    unmap(&window->mapped[rank]);
  }
  window_memory_drop(window->own);
  free(window);
}

/* A registration under way. */
struct registration {
  void* memory;
  enum engine_result refusal; /* of all members */
};

/* Everyone's offers, and then whether everyone could map them all: a window is one at all members or at none. */
static enum engine_result map_all(struct engine_comm* comm, struct window* window, enum engine_result* refusal) {
  struct offer mine = offer_of(window->own);
  struct offer offers[ENGINE_MAX_RANKS];
  struct engine_call ask = {.what = ENGINE_ALL_GATHER, .send = &mine, .receive = offers, .count = sizeof mine, .type = ENGINE_U8};
  enum engine_result result = engine_collective(comm, &ask);
  *refusal = result;
  for (int rank = 0; *refusal == ENGINE_OK && rank < comm->size; rank++) {
    *refusal = map(&offers[rank], rank, &window->mapped[rank]);
  }
  uint8_t failed = *refusal != ENGINE_OK;
  uint8_t any = 0;
  struct engine_call tell = {.what = ENGINE_ALL_REDUCE, .send = &failed, .receive = &any, .count = 1, .type = ENGINE_U8, .op = ENGINE_MAX};
  result = result == ENGINE_OK ? engine_collective(comm, &tell) : result;
  if (result == ENGINE_OK && any != 0 && *refusal == ENGINE_OK) {
    *refusal = engine_error(ENGINE_REMOTE, "another member cannot map everyone's memory");
  }
  return result;
}

/* Unmaps what its member has given back, which all learn alike; a window that nobody has any more goes. */
static enum engine_result forget_freed(struct engine_comm* comm) {
  struct window* newest = comm->extension;
  enum engine_result result = ENGINE_OK;
  for (struct window** at = &newest; result == ENGINE_OK && *at != NULL;) {
    struct window* window = *at;
    uint8_t mine = atomic_load(&window->own->freed);
    uint8_t freed[ENGINE_MAX_RANKS];
    struct engine_call ask = {.what = ENGINE_ALL_GATHER, .send = &mine, .receive = freed, .count = 1, .type = ENGINE_U8};
    result = engine_collective(comm, &ask);
    int left = comm->size;
    for (int rank = 0; result == ENGINE_OK && rank < comm->size; rank++) {
      if (freed[rank] != 0) {
        unmap(&window->mapped[rank]);
        left--;
      }
    }
    if (left == 0) {
      *at = window->next;
      end(window);
    } else {
      at = &window->next;
    }
  }
  comm->extension = newest;
  return result;
}

static enum engine_result register_in_turn(struct engine_comm* comm, void* context) {
  struct registration* registration = context;
  struct window* window = calloc(1, sizeof *window);
  if (window == NULL) {
    return engine_error(ENGINE_SYSTEM, "no memory for a window"); /* the others wait, until they are aborted */
  }
  window->own = window_memory_borrow(registration->memory);
  enum engine_result result = forget_freed(comm);
  result = result == ENGINE_OK ? map_all(comm, window, &registration->refusal) : result;
  if (result != ENGINE_OK || registration->refusal != ENGINE_OK) {
    end(window);
    return result;
  }
  struct window* newest = comm->extension;
  window->number = newest == NULL ? 1 : newest->number + 1;
  window->next = newest;
  comm->extension = window;
  return ENGINE_OK;
}

enum engine_result window_register(struct engine_comm* comm, void* memory) {
  struct registration registration = {.memory = memory, .refusal = ENGINE_OK};
  engine_lock(comm);
  struct engine_ticket ticket = engine_ticket(comm);
  engine_unlock(comm);
  enum engine_result result = engine_run_work(comm, ticket, register_in_turn, &registration);
  return result == ENGINE_OK ? registration.refusal : result;
}

struct window_place window_find(const struct engine_comm* comm, const void* memory, size_t bytes) {
  for (const struct window* window = comm->extension; window != NULL; window = window->next) {
    size_t offset = (size_t)((uintptr_t)memory - (uintptr_t)window->own->memory); /* huge if the memory is before it */
    size_t whole = window->own->bytes;
    if (offset < whole && bytes <= whole - offset && !atomic_load(&window->own->freed)) {
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
    end(window);
    window = next;
  }
  comm->extension = NULL;
}
