/* A communicator's life: join, the order of its calls, failure, abort, the end. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ccl_internal.h"
#include "emu_numbers.h"

static _Thread_local char last_error[256];

enum emu_result emu_ccl_error(enum emu_result result, const char* format, ...) {
  va_list words;
  va_start(words, format);
  (void)vsnprintf(last_error, sizeof last_error, format, words);
  va_end(words);
  return result;
}

const char* emu_ccl_last_error(void) { return last_error; }

long emu_setting(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text == NULL || *text == '\0' ? otherwise : strtol(text, NULL, 10);
}

bool emu_quirk(const char* name, const char* vendor) {
  const char* text = getenv(name);
  if (text == NULL || strcmp(text, "1") == 0) {
    return text != NULL;
  }
  size_t length = strlen(vendor);
  for (const char* word = text; word != NULL; word = strchr(word, ',')) {
    word += *word == ',';
    if (strncmp(word, vendor, length) == 0 && (word[length] == '\0' || word[length] == ',')) {
      return true;
    }
  }
  return false;
}

static void sleep_ms(long duration_ms) {
  struct timespec pause = {.tv_sec = duration_ms / 1000, .tv_nsec = duration_ms % 1000 * 1000000};
  (void)nanosleep(&pause, NULL);
}

static enum emu_result map_segment(struct emu_comm* comm, int fd) {
  comm->mapped_bytes = emu_segment_bytes(comm->size);
  void* mapped = mmap(NULL, comm->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    return emu_ccl_error(EMU_SYSTEM, "cannot map %zu bytes: %s", comm->mapped_bytes, strerror(errno));
  }
  comm->segment = mapped;
  comm->slots = (unsigned char*)mapped + sizeof(struct emu_segment);
  comm->pairs = (struct emu_pair*)(comm->slots + (size_t)comm->size * EMU_SLOTS_PER_RANK * EMU_SLOT_BYTES);
  return EMU_OK;
}

static void release(struct emu_comm* comm) {
  if (atomic_fetch_sub(&comm->references, 1) > 1) {
    return;
  }
  if (comm->segment != NULL) {
    (void)munmap(comm->segment, comm->mapped_bytes);
  }
  (void)pthread_cond_destroy(&comm->changed);
  (void)pthread_mutex_destroy(&comm->lock);
  free(comm);
}

static struct emu_comm* new_comm(int rank, int size) {
  struct emu_comm* comm = calloc(1, sizeof *comm);
  if (comm == NULL) {
    return NULL;
  }
  comm->rank = rank;
  comm->size = size;
  atomic_init(&comm->references, 1);
  if (pthread_mutex_init(&comm->lock, NULL) != 0 || pthread_cond_init(&comm->changed, NULL) != 0) {
    free(comm);
    return NULL;
  }
  return comm;
}

static enum emu_result meet(struct emu_comm* comm, const unsigned char id[EMU_ID_BYTES]) {
  int64_t deadline_ns = emu_now_ns() + emu_setting("TOMBOLO_EMU_INIT_TIMEOUT_MS", 60000) * 1000000LL;
  int fd;
  enum emu_result result = emu_rendezvous(id, comm->rank, comm->size, deadline_ns, &fd);
  if (result != EMU_OK) {
    return result;
  }
  result = map_segment(comm, fd);
  (void)close(fd);
  return result == EMU_OK ? emu_exchange(comm, 0, deadline_ns) : result;
}

enum emu_result emu_ccl_join(struct emu_comm** result, const unsigned char id[EMU_ID_BYTES], int rank, int size) {
  *result = NULL;
  if (size < 1 || size > EMU_MAX_RANKS || rank < 0 || rank >= size) {
    return emu_ccl_error(EMU_ARGUMENT, "rank %d of %d: ranks count from 0, and there are at most %d", rank, size,
                         EMU_MAX_RANKS);
  }
  sleep_ms(emu_setting("TOMBOLO_EMU_SLOW_INIT_MS", 0));
  struct emu_comm* comm = new_comm(rank, size);
  if (comm == NULL) {
    return emu_ccl_error(EMU_SYSTEM, "no memory for a communicator");
  }
  enum emu_result met = meet(comm, id);
  if (met != EMU_OK) {
    release(comm);
    return met;
  }
  *result = comm;
  return EMU_OK;
}

void emu_ccl_lock(struct emu_comm* comm) {
  emu_order_lock();
  (void)pthread_mutex_lock(&comm->lock);
}

void emu_ccl_unlock(struct emu_comm* comm) {
  (void)pthread_mutex_unlock(&comm->lock);
  emu_order_unlock();
}

struct emu_ticket emu_ccl_ticket(struct emu_comm* comm) {
  atomic_fetch_add(&comm->references, 1);
  return (struct emu_ticket){comm->next_ticket++, emu_order_take()};
}

void emu_ccl_return_ticket(struct emu_comm* comm, struct emu_ticket ticket) {
  comm->next_ticket = ticket.in_comm;
  emu_order_return(ticket.in_process);
  atomic_fetch_sub(&comm->references, 1); /* the caller's own reference keeps it alive */
}

static void await_turn(struct emu_comm* comm, struct emu_ticket ticket) {
  (void)pthread_mutex_lock(&comm->lock);
  while (comm->turn != ticket.in_comm && !atomic_load(&comm->aborted)) {
    (void)pthread_cond_wait(&comm->changed, &comm->lock);
  }
  (void)pthread_mutex_unlock(&comm->lock);
  emu_order_await(comm, ticket.in_process);
}

static void end_turn(struct emu_comm* comm, struct emu_ticket ticket) {
  (void)pthread_mutex_lock(&comm->lock);
  comm->turn++;
  (void)pthread_cond_broadcast(&comm->changed);
  (void)pthread_mutex_unlock(&comm->lock);
  emu_order_end(ticket.in_process);
}

/* The switchable fault of a collective that never ends. */
static void hang(struct emu_comm* comm) {
  (void)pthread_mutex_lock(&comm->lock);
  while (!atomic_load(&comm->aborted)) {
    (void)pthread_cond_wait(&comm->changed, &comm->lock);
  }
  (void)pthread_mutex_unlock(&comm->lock);
}

static enum emu_result ensure_sound(struct emu_comm* comm) {
  if (atomic_load(&comm->aborted)) {
    return emu_ccl_error(EMU_REMOTE, "rank %d: the communicator was aborted", comm->rank);
  }
  if (atomic_load(&comm->failure) != EMU_OK) {
    return emu_ccl_error(EMU_USAGE, "rank %d: the communicator has failed before", comm->rank);
  }
  return EMU_OK;
}

/* The quirk of devices that know one size only: sends and receives of a group are of one count. */
static enum emu_result ensure_equal_counts(const struct emu_comm* comm, const struct emu_call* calls, int count) {
  for (int i = 1; i < count && emu_quirk("TOMBOLO_EMU_EQUAL_COUNTS_ONLY", emu_numbers.vendor); i++) {
    if (calls[i].count != calls[0].count || calls[i].type != calls[0].type) {
      return emu_ccl_error(EMU_USAGE, "rank %d: a group of %zu and of %zu elements, where all must be equal", comm->rank,
                           calls[0].count, calls[i].count);
    }
  }
  return EMU_OK;
}

static enum emu_result run_in_turn(struct emu_comm* comm, struct emu_ticket ticket, const struct emu_call* calls,
                                   int count) {
  long nth = (long)ticket.in_comm + 1;
  if (nth == emu_setting("TOMBOLO_EMU_HANG_AT", 0)) {
    hang(comm);
  }
  enum emu_result sound = ensure_sound(comm);
  if (sound != EMU_OK) return sound;
  if (nth == emu_setting("TOMBOLO_EMU_ASYNC_ERROR_AT", 0)) {
    return emu_ccl_error(EMU_SYSTEM, "rank %d: the fault asked for by TOMBOLO_EMU_ASYNC_ERROR_AT", comm->rank);
  }
  if (calls->what < EMU_SEND) {
    return emu_collective(comm, calls);
  }
  enum emu_result equal = ensure_equal_counts(comm, calls, count);
  return equal == EMU_OK ? emu_transfers(comm, calls, count) : equal;
}

enum emu_result emu_ccl_run(struct emu_comm* comm, struct emu_ticket ticket, const struct emu_call* calls, int count) {
  await_turn(comm, ticket);
  enum emu_result result = run_in_turn(comm, ticket, calls, count);
  int none = EMU_OK;
  (void)atomic_compare_exchange_strong(&comm->failure, &none, result);
  end_turn(comm, ticket);
  release(comm);
  return result;
}

enum emu_result emu_ccl_async_error(struct emu_comm* comm) {
  int failure = atomic_load(&comm->failure);
  for (int rank = 0; failure == EMU_OK && rank < comm->size; rank++) {
    if (atomic_load(&comm->segment->members[rank].gone) != 0) {
      failure = emu_ccl_error(EMU_REMOTE, "rank %d gave up", rank);
    }
  }
  return (enum emu_result)failure;
}

int emu_ccl_rank(const struct emu_comm* comm) { return comm->rank; }

int emu_ccl_size(const struct emu_comm* comm) { return comm->size; }

void emu_ccl_destroy(struct emu_comm* comm) { release(comm); }

void emu_ccl_abort(struct emu_comm* comm) {
  atomic_store(&comm->segment->members[comm->rank].gone, 1);
  (void)pthread_mutex_lock(&comm->lock);
  atomic_store(&comm->aborted, true);
  (void)pthread_cond_broadcast(&comm->changed);
  (void)pthread_mutex_unlock(&comm->lock);
  emu_order_wake();
  emu_wake_all(comm);
  release(comm);
}
