// SPDX-License-Identifier: Apache-2.0
/* The emulated device under the sanitizers: order, stale handles, memory freed under work, peers, threads against each other. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../main/c/shared/device_engine.h"
#include "../check.h"
#include "emu_numbers.h"
#include "emu_posted.h"

enum { THREADS = 4, LIVES = 300 };

static void rest_ms(long ms) {
  struct timespec rest = {ms / 1000, ms % 1000 * 1000000};
  (void)nanosleep(&rest, NULL); /* fixed time: who calls this looks again */
}

static emu_result settle(emu_stream* stream) {
  emu_result now = emu_stream_query(stream);
  for (int waited = 0; now == EMU_NOT_READY && waited < PATIENCE_MS; waited++) {
    rest_ms(1);
    now = emu_stream_query(stream);
  }
  return now;
}

static emu_stream* new_stream(void) {
  emu_stream* stream = NULL;
  CHECK(emu_stream_create(&stream) == EMU_OK);
  return stream;
}

static void* new_block(size_t size) {
  void* address = NULL;
  CHECK(emu_allocate(size, &address) == EMU_OK);
  return address;
}

static void count_up(void* counter) { atomic_fetch_add((atomic_int*)counter, 1); }

static bool at_least(uint64_t word, uint64_t value) { return word >= value; }

static void copies_keep_to_their_blocks(void) {
  emu_stream* stream = new_stream();
  unsigned char* from = new_block(100);
  unsigned char* to = new_block(100);
  CHECK(emu_fill(from, 7, 100, stream) == EMU_OK);
  CHECK(emu_fill(to, 1, 100, stream) == EMU_OK);
  CHECK(emu_copy(to + 50, EMU_ANY_DEVICE, from, EMU_ANY_DEVICE, 50, stream) == EMU_OK);
  CHECK(emu_copy(to + 51, EMU_ANY_DEVICE, from, EMU_ANY_DEVICE, 50, stream) == EMU_INVALID_VALUE);
  CHECK(emu_copy(to, EMU_ANY_HOST, from, EMU_ANY_DEVICE, 50, stream) == EMU_INVALID_VALUE);
  CHECK(settle(stream) == EMU_OK);
  unsigned char* seen = emu_alias(to, 100);
  CHECK(seen != NULL && seen != to && seen[49] == 1 && seen[50] == 7 && seen[99] == 7);
  CHECK(emu_alias(to, 101) == NULL);
  CHECK(emu_release(from, EMU_DEVICE) == EMU_OK);
  CHECK(emu_release(from, EMU_DEVICE) == EMU_INVALID_VALUE);
  CHECK(emu_release(to, EMU_PINNED) == EMU_INVALID_VALUE);
  CHECK(emu_release(to, EMU_DEVICE) == EMU_OK);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
}

static void stale_handles_are_errors(void) {
  emu_stream* stream = new_stream();
  emu_event* event = NULL;
  CHECK(emu_event_create(&event) == EMU_OK);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
  CHECK(emu_stream_destroy(stream) == EMU_INVALID_HANDLE);
  CHECK(emu_stream_query(stream) == EMU_INVALID_HANDLE);
  CHECK(emu_event_record(event, stream) == EMU_INVALID_HANDLE);
  CHECK(emu_event_destroy(event) == EMU_OK);
  CHECK(emu_event_query(event) == EMU_INVALID_HANDLE);
  CHECK(emu_event_destroy(event) == EMU_INVALID_HANDLE);
}

static void memory_freed_under_a_wait_fails_the_stream(void) {
  emu_stream* stream = new_stream();
  emu_stream* other = new_stream();
  emu_event* event = NULL;
  void* word = NULL;
  CHECK(emu_event_create(&event) == EMU_OK);
  CHECK(emu_allocate_pinned(8, &word) == EMU_OK);
  CHECK(emu_wait_value(word, 1, UINT64_MAX, at_least, stream) == EMU_OK);
  CHECK(emu_event_record(event, stream) == EMU_OK);
  CHECK(emu_event_wait(event, other) == EMU_OK);
  CHECK(emu_event_destroy(event) == EMU_OK);
  CHECK(emu_stream_query(stream) == EMU_NOT_READY);
  CHECK(emu_release(word, EMU_PINNED) == EMU_OK);
  CHECK(settle(stream) == EMU_STREAM_FAILED);
  CHECK(settle(other) == EMU_STREAM_FAILED);
  CHECK(emu_stream_enqueue(stream, count_up, NULL) == EIO);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
  CHECK(emu_stream_destroy(other) == EMU_OK);
}

static void a_destroyed_stream_ends_its_work(void) {
  emu_stream* stream = new_stream();
  _Atomic uint64_t words[2] = {0, 0};
  CHECK(emu_register((void*)words, sizeof words) == EMU_OK);
  CHECK(emu_register((void*)&words[1], 8) == EMU_ALREADY_REGISTERED);
  CHECK(emu_wait_value((void*)&words[0], 1, UINT64_MAX, at_least, stream) == EMU_OK);
  CHECK(emu_write_value((void*)&words[1], 9, stream) == EMU_OK);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
  CHECK(atomic_load(&words[1]) == 0);
  atomic_store(&words[0], 1);
  for (int waited = 0; atomic_load(&words[1]) == 0 && waited < PATIENCE_MS; waited++) {
    rest_ms(1);
  }
  CHECK(atomic_load(&words[1]) == 9);
  CHECK(emu_release((void*)words, EMU_REGISTERED) == EMU_OK);
  CHECK(emu_release((void*)words, EMU_REGISTERED) == EMU_NOT_REGISTERED);
}

static void what_is_not_mapped_is_not_registered(void) {
  char* pages = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED && munmap(pages + BYTES, BYTES) == 0);
  CHECK(emu_register(pages, BYTES + 1) == EMU_INVALID_VALUE);
  CHECK(emu_register(pages, BYTES) == EMU_OK && emu_release(pages, EMU_REGISTERED) == EMU_OK);
  CHECK(munmap(pages, BYTES) == 0);
}

static void host_functions_keep_their_place(void) {
  enum { ROUNDS = 100 };
  emu_stream* stream = new_stream();
  unsigned char* block = new_block(BYTES);
  static seen at[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    at[i] = (seen){.caller = pthread_self(), .bytes = emu_alias(block, BYTES)};
    CHECK(emu_fill(block, (unsigned char)i, BYTES, stream) == EMU_OK);
    CHECK(emu_host_function(look, &at[i], stream) == EMU_OK);
  }
  CHECK(emu_host_function(NULL, NULL, stream) == EMU_INVALID_VALUE);
  CHECK(settle(stream) == EMU_OK);
  for (int i = 0; i < ROUNDS; i++) {
    CHECK(has_seen(&at[i], (unsigned char)i));
  }
  CHECK(emu_release(block, EMU_DEVICE) == EMU_OK);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
  CHECK(emu_host_function(look, &at[0], stream) == EMU_INVALID_HANDLE);
}

static void host_functions_outlive_their_stream(void) {
  emu_stream* stream = new_stream();
  _Atomic uint64_t word = 0;
  unsigned char byte = 3;
  seen late = {.caller = pthread_self(), .bytes = &byte};
  CHECK(emu_register((void*)&word, sizeof word) == EMU_OK);
  CHECK(emu_wait_value((void*)&word, 1, UINT64_MAX, at_least, stream) == EMU_OK);
  CHECK(emu_host_function(look, &late, stream) == EMU_OK);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
  CHECK(!atomic_load(&late.done));
  atomic_store(&word, 1);
  CHECK(has_seen(&late, 3));
  CHECK(emu_release((void*)&word, EMU_REGISTERED) == EMU_OK);
}

static void host_functions_of_failed_streams_are_dropped(void) {
  emu_stream* stream = new_stream();
  void* word = NULL;
  unsigned char byte = 3;
  seen never = {.caller = pthread_self(), .bytes = &byte};
  CHECK(emu_allocate_pinned(8, &word) == EMU_OK);
  CHECK(emu_wait_value(word, 1, UINT64_MAX, at_least, stream) == EMU_OK);
  CHECK(emu_host_function(look, &never, stream) == EMU_OK);
  CHECK(emu_release(word, EMU_PINNED) == EMU_OK);
  CHECK(settle(stream) == EMU_STREAM_FAILED);
  CHECK(emu_host_function(look, &never, stream) == EMU_STREAM_FAILED);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
  CHECK(!atomic_load(&never.done));
}

static void managed_memory_has_one_address(void) {
  emu_stream* stream = new_stream();
  unsigned char* managed = NULL;
  unsigned char* block = new_block(100);
  unsigned char handle[EMU_IPC_BYTES];
  CHECK(emu_allocate_managed(0, (void**)&managed) == EMU_INVALID_VALUE);
  CHECK(emu_allocate_managed(100, (void**)&managed) == EMU_OK);
  CHECK(emu_alias(managed, 100) == managed);
  memset(managed, 4, 100);
  CHECK(emu_copy(block, EMU_ANY_DEVICE, managed, EMU_ANY_DEVICE, 50, stream) == EMU_OK);
  CHECK(emu_copy(block + 50, EMU_ANY_DEVICE, managed, EMU_ANY_HOST, 50, stream) == EMU_OK);
  CHECK(emu_fill(managed, 5, 50, stream) == EMU_OK);
  CHECK(settle(stream) == EMU_OK);
  const unsigned char* copied = emu_alias(block, 100);
  CHECK(copied[0] == 4 && copied[99] == 4 && managed[49] == 5 && managed[50] == 4);
  CHECK(emu_ipc_export("one", managed, handle) == EMU_INVALID_VALUE);
  CHECK(emu_register(managed, 100) == EMU_INVALID_VALUE && emu_release(managed, EMU_REGISTERED) == EMU_INVALID_VALUE);
  CHECK(emu_wait_value(managed, 0, UINT64_MAX, at_least, stream) == EMU_INVALID_VALUE);
  CHECK(emu_release(managed, EMU_PINNED) == EMU_INVALID_VALUE);
  CHECK(emu_release(managed, EMU_DEVICE | EMU_MANAGED) == EMU_OK);
  CHECK(emu_release(block, EMU_DEVICE | EMU_MANAGED) == EMU_OK);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
}

static void access_to_peers_is_enabled_once_and_one_way(void) {
  CHECK(emu_peer_reaches(0, 1) && !emu_peer_reaches(0, 0));
  CHECK(!emu_peer_reaches(0, emu_device_count()) && !emu_peer_reaches(-1, 0));
  CHECK(emu_peer_enable(0, 1) == EMU_OK);
  CHECK(emu_peer_enable(0, 1) == EMU_ALREADY_ENABLED);
  CHECK(emu_peer_enable(1, 0) == EMU_OK);
  CHECK(emu_peer_enable(1, 1) == EMU_INVALID_VALUE);
}

/* Before anything else, because the environment is read once. */
static void nobody_is_a_peer_where_the_environment_says_so(void) {
  pid_t child = fork();
  if (child == 0) {
    CHECK(setenv("TOMBOLO_EMU_NO_PEERS", "1", 1) == 0);
    CHECK(!emu_peer_reaches(0, 1) && emu_peer_enable(0, 1) == EMU_INVALID_VALUE);
    _exit(0);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void handles_open_for_their_vendor_only(void) {
  unsigned char handle[EMU_IPC_BYTES];
  void* opened = NULL;
  unsigned char* block = new_block(10);
  CHECK(emu_ipc_export("one", block, handle) == EMU_OK);
  CHECK(emu_ipc_export("one", block + 1, handle) == EMU_INVALID_VALUE);
  CHECK(emu_ipc_open("other", handle, &opened) == EMU_INVALID_HANDLE);
  CHECK(emu_ipc_open("one", handle, &opened) == EMU_OK);
  *(unsigned char*)emu_alias(opened, 10) = 5;
  CHECK(*(unsigned char*)emu_alias(block, 10) == 5);
  CHECK(emu_release(block, EMU_DEVICE) == EMU_OK);
  CHECK(emu_release(opened, EMU_DEVICE) == EMU_INVALID_VALUE);
  CHECK(emu_release(opened, EMU_IMPORTED) == EMU_OK);
  CHECK(emu_ipc_open("one", handle, &opened) == EMU_INVALID_HANDLE);
}

/* A NIC that writes to exported memory: bytes 100 to 104 become `value`. */
static void post_write(int fd, unsigned char value) {
  size_t page = 4096;
  unsigned char* all = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(all != MAP_FAILED);
  emu_posted* list = (emu_posted*)(all + 2 * page);
  CHECK(list->magic == EMU_POSTED_MAGIC && list->bytes == page);
  emu_posted_lock(list);
  memset(all + page + 100, value, 4);
  list->range[list->count].from = 100;
  list->range[list->count++].length = 4;
  emu_posted_unlock(list);
  CHECK(munmap(all, 3 * page) == 0);
}

static void writes_of_nics_wait_for_a_flush(void) {
  int fd = -1;
  unsigned char* block = new_block(4096);
  CHECK(emu_export_dma_buf(block, 4000, &fd) == EMU_INVALID_VALUE);
  CHECK(emu_export_dma_buf(block, 8192, &fd) == EMU_INVALID_VALUE);
  CHECK(emu_export_dma_buf(block + 1, 4096, &fd) == EMU_INVALID_VALUE);
  CHECK(emu_export_dma_buf(block, 4096, &fd) == EMU_OK);
  const unsigned char* seen = emu_alias(block, 4096);
  post_write(fd, 7);
  CHECK(seen[100] == 0);
  emu_flush();
  CHECK(seen[99] == 0 && seen[100] == 7 && seen[103] == 7 && seen[104] == 0);
  CHECK(emu_fill(block, 9, 4096, NULL) == EMU_OK);
  CHECK(settle(NULL) == EMU_OK);
  emu_flush();
  CHECK(seen[100] == 9);
  CHECK(emu_release(block, EMU_DEVICE) == EMU_OK);
  post_write(fd, 8);
  emu_flush();
  CHECK(emu_export_dma_buf(block, 4096, &fd) == EMU_INVALID_VALUE);
  CHECK(close(fd) == 0);
}

static void* live_and_die(void* calls) {
  for (int i = 0; i < LIVES; i++) {
    emu_stream* stream = new_stream();
    emu_event* event = NULL;
    void* block = new_block(4096);
    CHECK(emu_event_create(&event) == EMU_OK);
    CHECK(emu_fill(block, (unsigned char)i, 4096, stream) == EMU_OK);
    CHECK(emu_event_record(event, stream) == EMU_OK);
    CHECK(emu_event_wait(event, NULL) == EMU_OK);
    CHECK(emu_stream_enqueue(stream, count_up, calls) == 0);
    CHECK(settle(stream) == EMU_OK);
    CHECK(*(unsigned char*)emu_alias(block, 4096) == (unsigned char)i);
    CHECK(emu_event_query(event) == EMU_OK);
    CHECK(emu_event_destroy(event) == EMU_OK);
    CHECK(emu_release(block, EMU_DEVICE) == EMU_OK);
    CHECK(emu_stream_destroy(stream) == EMU_OK);
  }
  return NULL;
}

static void threads_do_not_disturb_each_other(void) {
  static atomic_int calls;
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&threads[i], NULL, live_and_die, &calls) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
  CHECK(atomic_load(&calls) == THREADS * LIVES);
  CHECK(settle(NULL) == EMU_OK);
}

typedef struct order {
  _Atomic int64_t due;
  _Atomic int64_t living;
} order;

static order* orders;

/* The file in which tests order failures; before the first call of the emulation, which looks for it once. */
static void make_orders(void) {
  char folder[] = "/tmp/emulated-faults-XXXXXX";
  char path[PATH_MAX];
  CHECK(mkdtemp(folder) != NULL && setenv("TOMBOLO_EMU_FAULTS", folder, 1) == 0);
  CHECK(snprintf(path, sizeof path, "%s/%s", folder, emu_numbers.vendor) > 0);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  CHECK(file >= 0 && ftruncate(file, EMU_THINGS * sizeof *orders) == 0);
  orders = mmap(NULL, EMU_THINGS * sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(orders != MAP_FAILED && close(file) == 0);
  CHECK(emu_device_count() > 0); /* reads it */
  CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

static emu_result make_and_end(emu_thing thing) {
  static char host[64];
  void* made = NULL;
  emu_result result = thing == EMU_DEVICE_BLOCKS   ? emu_allocate(64, &made)
                      : thing == EMU_LOCKED_BLOCKS ? emu_allocate_pinned(64, &made)
                      : thing == EMU_PINNED_RANGES ? emu_register(made = host, sizeof host)
                      : thing == EMU_STREAMS       ? emu_stream_create((emu_stream**)&made)
                                                   : emu_event_create((emu_event**)&made);
  int64_t living = atomic_load(&orders[thing].living);
  if (result == EMU_OK) {
    CHECK(living == 1);
    CHECK((thing == EMU_STREAMS  ? emu_stream_destroy(made)
           : thing == EMU_EVENTS ? emu_event_destroy(made)
                                 : emu_release(made, EMU_ANY)) == EMU_OK);
  }
  CHECK(atomic_load(&orders[thing].living) == 0);
  return result;
}

static void things_fail_as_ordered_and_are_counted(void) {
  for (int thing = 0; thing < EMU_THINGS; thing++) {
    emu_result failure = thing == EMU_LOCKED_BLOCKS ? EMU_OUT_OF_HOST_MEMORY : EMU_OUT_OF_MEMORY;
    CHECK(make_and_end((emu_thing)thing) == EMU_OK);
    atomic_store(&orders[thing].due, 2);
    CHECK(make_and_end((emu_thing)thing) == EMU_OK && atomic_load(&orders[thing].due) == 1);
    CHECK(make_and_end((emu_thing)thing) == failure && atomic_load(&orders[thing].due) == 0);
    CHECK(make_and_end((emu_thing)thing) == EMU_OK);
  }
}

int main(void) {
  /* One test frees memory under a wait, for which a strict free would wait. */
  CHECK(setenv("TOMBOLO_EMU_KIND", "frees", 1) == 0);
  nobody_is_a_peer_where_the_environment_says_so();
  make_orders();
  things_fail_as_ordered_and_are_counted();
  copies_keep_to_their_blocks();
  stale_handles_are_errors();
  memory_freed_under_a_wait_fails_the_stream();
  a_destroyed_stream_ends_its_work();
  what_is_not_mapped_is_not_registered();
  host_functions_keep_their_place();
  host_functions_outlive_their_stream();
  host_functions_of_failed_streams_are_dropped();
  managed_memory_has_one_address();
  access_to_peers_is_enabled_once_and_one_way();
  handles_open_for_their_vendor_only();
  writes_of_nics_wait_for_a_flush();
  threads_do_not_disturb_each_other();
  return 0;
}
