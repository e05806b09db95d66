// SPDX-License-Identifier: Apache-2.0
/*
 * The habits of real devices, one row each: red where the habit is switched off. Each in a process of its own, as the
 * environment is read once.
 */
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../main/c/shared/device_engine.h"
#include "../../../main/c/shared/device_kernels.h"
#include "../../../main/c/shared/device_queue.h"
#include "../check.h"
#include "emu_strict.h"

#define THREAD "bell-ringer"
#define FREER "freer"
#define AGENT "tombolo-agent"

enum { LINE_BYTES = 2048, SOON_MS = 100 };

static const char* report_file;

static bool at_least(uint64_t word, uint64_t value) { return word >= value; }

static emu_stream* new_stream(emu_stream_kind kind) {
  emu_stream* stream = NULL;
  CHECK(emu_stream_create_as(kind, &stream) == EMU_OK);
  return stream;
}

/* fixed time: who calls this looks again, or has another thread wait first */
static void rest_ms(long ms) { (void)nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static bool is_idle(emu_stream* stream, int patience_ms) {
  for (int waited = 0; emu_stream_query(stream) == EMU_NOT_READY && waited < patience_ms; waited++) {
    rest_ms(1);
  }
  return emu_stream_query(stream) == EMU_OK;
}

/* A pinned word, and a stream that waits for it to be 1. */
static _Atomic uint64_t* hold(emu_stream* stream) {
  void* word = NULL;
  CHECK(emu_allocate_pinned(sizeof(uint64_t), &word) == EMU_OK);
  CHECK(emu_wait_value(word, 1, UINT64_MAX, at_least, stream) == EMU_OK);
  return word;
}

static bool is_reported(const char* words) {
  char text[LINE_BYTES] = "";
  FILE* from = fopen(report_file, "re");
  bool found = from != NULL && fread(text, 1, sizeof text - 1, from) > 0 && strstr(text, words) != NULL;
  if (from != NULL) {
    (void)fclose(from);
  }
  return found;
}

typedef emu_result attempt(void* block);

static emu_result free_it(void* block) { return emu_release(block, EMU_DEVICE); }

static void* pinned_before;

static emu_result free_pinned(void* block) {
  (void)block;
  return emu_release(pinned_before, EMU_PINNED);
}

static emu_result allocate(void* block) {
  (void)block;
  void* more = NULL;
  return emu_allocate(64, &more);
}

static emu_result allocate_pinned(void* block) {
  (void)block;
  void* more = NULL;
  return emu_allocate_pinned(64, &more);
}

static emu_result register_host(void* block) {
  (void)block;
  static uint64_t words[8];
  return emu_register(words, sizeof words);
}

/* By the thread that the stream waits for: the call fails and says why; and works once the stream is let go. */
static void a_call_of_who_holds_a_stream_is_a_deadlock(attempt* attempt, const char* words) {
  void* block = NULL;
  CHECK(emu_allocate(64, &block) == EMU_OK);
  emu_stream* stream = new_stream((emu_stream_kind){0});
  _Atomic uint64_t* word = hold(stream);
  CHECK(attempt(block) == EMU_DEADLOCK);
  CHECK(is_reported("deadlock") && is_reported(words) && is_reported("stream 1 ") && is_reported(THREAD));
  atomic_store(word, 1);
  CHECK(attempt(block) == EMU_OK);
  CHECK(is_idle(stream, PATIENCE_MS));
}

static void frees_wait(void) { a_call_of_who_holds_a_stream_is_a_deadlock(free_it, "a free"); }

static void frees_of_pinned_memory_wait(void) {
  CHECK(emu_allocate_pinned(64, &pinned_before) == EMU_OK);
  a_call_of_who_holds_a_stream_is_a_deadlock(free_pinned, "a free");
}

static void allocations_wait(void) { a_call_of_who_holds_a_stream_is_a_deadlock(allocate, "an allocation of the device's"); }

static void allocations_of_pinned_memory_wait(void) {
  a_call_of_who_holds_a_stream_is_a_deadlock(allocate_pinned, "an allocation of page-locked");
}

static void registrations_wait(void) { a_call_of_who_holds_a_stream_is_a_deadlock(register_host, "a registration"); }

static uint64_t registered_before[8];

static emu_result unregister_host(void* block) {
  (void)block;
  return emu_release(registered_before, EMU_REGISTERED);
}

static void taking_registrations_back_waits(void) {
  CHECK(emu_register(registered_before, sizeof registered_before) == EMU_OK);
  a_call_of_who_holds_a_stream_is_a_deadlock(unregister_host, "the end of a registration");
}

static emu_result load(void* block) {
  (void)block;
  void* module = NULL;
  return emu_kernels_load(emu_kernels_code(EMU_REDUCTIONS), &module);
}

static void loading_code_waits(void) { a_call_of_who_holds_a_stream_is_a_deadlock(load, "loading code"); }

static void* module_loaded_before;

static emu_result look_up(void* block) {
  (void)block;
  const emu_kernel* kernel = NULL;
  return emu_kernels_find(module_loaded_before, "tombolo_sum_i32", &kernel);
}

static void the_first_look_up_waits(void) {
  const emu_kernel* other = NULL;
  CHECK(emu_kernels_load(emu_kernels_code(EMU_REDUCTIONS), &module_loaded_before) == EMU_OK);
  CHECK(emu_kernels_find(module_loaded_before, "tombolo_sum_f32", &other) == EMU_OK);
  a_call_of_who_holds_a_stream_is_a_deadlock(look_up, "the first look-up");
}

static emu_result unload(void* block) {
  (void)block;
  return emu_kernels_unload(module_loaded_before);
}

static void unloading_code_waits(void) {
  CHECK(emu_kernels_load(emu_kernels_code(EMU_REDUCTIONS), &module_loaded_before) == EMU_OK);
  a_call_of_who_holds_a_stream_is_a_deadlock(unload, "unloading code");
}

static void a_later_look_up_does_not(void) {
  CHECK(emu_kernels_load(emu_kernels_code(EMU_REDUCTIONS), &module_loaded_before) == EMU_OK && look_up(NULL) == EMU_OK);
  emu_stream* stream = new_stream((emu_stream_kind){0});
  _Atomic uint64_t* word = hold(stream);
  CHECK(look_up(NULL) == EMU_OK);
  atomic_store(word, 1);
  CHECK(is_idle(stream, PATIENCE_MS));
}

static void* let_go(void* word) {
  rest_ms(50);
  atomic_store((_Atomic uint64_t*)word, 1);
  return NULL;
}

/* By any other thread it waits, and that is all; however late the other thread comes. */
static void who_is_not_waited_for_only_waits(void) {
  CHECK(setenv("TOMBOLO_EMU_DEADLOCK_MS", "60000", 1) == 0);
  pthread_t other;
  void* block = NULL;
  CHECK(emu_allocate(64, &block) == EMU_OK);
  emu_stream* stream = new_stream((emu_stream_kind){0});
  _Atomic uint64_t* word = hold(stream);
  CHECK(pthread_create(&other, NULL, let_go, (void*)word) == 0);
  CHECK(emu_release(block, EMU_DEVICE) == EMU_OK);
  CHECK(atomic_load(word) == 1 && emu_stream_query(stream) == EMU_OK);
  CHECK(pthread_join(other, NULL) == 0);
}

/* Another thread's call that waits for a held stream. */
typedef struct waiter {
  attempt* call;
  void* block;
  atomic_bool has_begun;
  atomic_bool has_ended;
  emu_result result;
  pthread_t thread;
} waiter;

static void* wait_in_call(void* argument) {
  waiter* of = argument;
  CHECK(prctl(PR_SET_NAME, FREER) == 0);
  atomic_store(&of->has_begun, true);
  of->result = of->call(of->block);
  atomic_store(&of->has_ended, true);
  return NULL;
}

static emu_stream* beside;
static emu_event* event;
static const emu_kernel* kernel;
static unsigned char* used;

static emu_result copy(void* block) {
  (void)block;
  return emu_copy(used, EMU_DEVICE, used + 32, EMU_DEVICE, 8, beside);
}

static emu_result fill(void* block) {
  (void)block;
  return emu_fill(used, 1, 8, beside);
}

static emu_result record(void* block) {
  (void)block;
  return emu_event_record(event, beside);
}

static void do_nothing(void* argument) { (void)argument; }

static emu_result call_host(void* block) {
  (void)block;
  return emu_host_function(do_nothing, NULL, beside);
}

static emu_result launch(void* block) {
  (void)block;
  uint64_t one = 1;
  return emu_launch(kernel, (emu_grid){1, 1}, (void*[]){&used, &used, &used, &one}, beside);
}

static const struct {
  attempt* call;
  const char* words;
} locked[] = {{copy, "a copy on"},       {fill, "a fill on"},     {record, "the recording of an event on"},
              {launch, "a launch on"},   {call_host, "a function on the host on"},
              {allocate, "an allocation of the device's memory on"}};

static void prepare_beside(void) {
  void* module = NULL;
  CHECK(emu_kernels_load(emu_kernels_code(EMU_REDUCTIONS), &module) == EMU_OK);
  CHECK(emu_kernels_find(module, "tombolo_sum_i32", &kernel) == EMU_OK);
  CHECK(emu_event_create(&event) == EMU_OK && emu_allocate(64, (void**)&used) == EMU_OK);
  beside = new_stream((emu_stream_kind){0});
}

/* Where the other thread waits, for a stream that has nothing to do with the call. */
static void a_call_beside(attempt* waiting, const char* waiting_words, attempt* call, const char* words) {
  emu_stream* held = new_stream((emu_stream_kind){0});
  waiter other = {.call = waiting};
  _Atomic uint64_t* word = NULL;
  CHECK(emu_allocate_pinned(sizeof *word, (void**)&word) == EMU_OK);
  CHECK(emu_allocate_pinned(64, &pinned_before) == EMU_OK);
  CHECK(emu_allocate(64, &other.block) == EMU_OK);
  CHECK(emu_wait_value((void*)word, 1, UINT64_MAX, at_least, held) == EMU_OK);
  CHECK(pthread_create(&other.thread, NULL, wait_in_call, &other) == 0);
  emu_result result = EMU_OK;
  for (int64_t from = emu_now_ns(); result == EMU_OK && emu_now_ns() - from < PATIENCE_MS * INT64_C(1000000); rest_ms(1)) {
    result = call(NULL);
  }
  CHECK(result == EMU_DEADLOCK);
  CHECK(is_reported(words) && is_reported(waiting_words) && is_reported("waits for all work of device 0, and stream "));
  atomic_store(word, 1);
  CHECK(pthread_join(other.thread, NULL) == 0);
  CHECK(is_idle(held, PATIENCE_MS) && is_idle(beside, PATIENCE_MS));
}

static void calls_wait_for_a_free(void) {
  prepare_beside();
  for (size_t i = 0; i < sizeof locked / sizeof *locked; i++) {
    CHECK(truncate(report_file, 0) == 0);
    a_call_beside(free_it, "a free on thread " FREER, locked[i].call, locked[i].words);
  }
}

static void calls_wait_for_its_like(void) {
  prepare_beside();
  CHECK(emu_register(registered_before, sizeof registered_before) == EMU_OK);
  a_call_beside(free_pinned, "a free on thread " FREER, copy, "a copy on thread " THREAD);
  a_call_beside(unregister_host, "the end of a registration on thread " FREER, copy, "a copy on thread " THREAD);
  a_call_beside(load, "loading code on thread " FREER, copy, "a copy on thread " THREAD);
}

/* Whoever writes the words does not wait in vain first. */
static void the_agent_is_reported_at_once(void) {
  CHECK(setenv("TOMBOLO_EMU_DEADLOCK_MS", "60000", 1) == 0 && prctl(PR_SET_NAME, AGENT) == 0);
  prepare_beside();
  int64_t from = emu_now_ns();
  a_call_beside(free_it, "a free on thread " FREER, copy, "a copy on thread " AGENT);
  CHECK(emu_now_ns() - from < PATIENCE_MS * INT64_C(1000000));
}

/* While the other thread is in `waiting`: what needs no lock, or with `copies` what would. */
static void nothing_waits_beside(attempt* waiting, bool copies) {
  CHECK(setenv("TOMBOLO_EMU_DEADLOCK_MS", "60000", 1) == 0);
  prepare_beside();
  waiter other = {.call = waiting};
  CHECK(emu_allocate(64, &other.block) == EMU_OK && record(NULL) == EMU_OK && is_idle(beside, PATIENCE_MS));
  emu_stream* held = new_stream((emu_stream_kind){0});
  _Atomic uint64_t* word = hold(held);
  CHECK(pthread_create(&other.thread, NULL, wait_in_call, &other) == 0);
  while (!atomic_load(&other.has_begun)) {
    rest_ms(1);
  }
  rest_ms(SOON_MS);
  CHECK(emu_event_query(event) == EMU_OK && emu_stream_query(held) == EMU_NOT_READY);
  CHECK(emu_event_wait(event, beside) == EMU_OK);
  CHECK(emu_wait_value((void*)word, 0, UINT64_MAX, at_least, beside) == EMU_OK);
  CHECK(emu_write_value(used, 1, beside) == EMU_OK);
  CHECK(!copies || (copy(NULL) == EMU_OK && record(NULL) == EMU_OK && launch(NULL) == EMU_OK));
  CHECK(!atomic_load(&other.has_ended));
  atomic_store(word, 1);
  CHECK(pthread_join(other.thread, NULL) == 0 && other.result == EMU_OK);
  CHECK(is_idle(held, PATIENCE_MS) && is_idle(beside, PATIENCE_MS));
}

static void queries_and_words_do_not_wait_for_a_free(void) { nothing_waits_beside(free_it, false); }

static void without_locks_copies_do_not_either(void) { nothing_waits_beside(free_it, true); }

static emu_result look_up_another(void* block) {
  (void)block;
  const emu_kernel* found = NULL;
  return emu_kernels_find(module_loaded_before, "tombolo_max_f64", &found);
}

static void a_look_up_holds_no_lock(void) {
  CHECK(emu_kernels_load(emu_kernels_code(EMU_REDUCTIONS), &module_loaded_before) == EMU_OK);
  nothing_waits_beside(look_up_another, true);
}

/* Each context waits for its own work. */
static void another_device_s_work_is_not_waited_for(void) {
  emu_stream* stream = new_stream((emu_stream_kind){0});
  _Atomic uint64_t* word = hold(stream);
  emu_use_device(1);
  void* block = NULL;
  CHECK(emu_allocate(64, &block) == EMU_OK && emu_release(block, EMU_DEVICE) == EMU_OK);
  emu_use_device(0);
  CHECK(emu_stream_query(stream) == EMU_NOT_READY);
  atomic_store(word, 1);
  CHECK(is_idle(stream, PATIENCE_MS));
}

/* Whether a fill on a stream of that priority gets by one that waits for a word, both made now; looks for that long. */
static bool gets_by(int priority, int patience_ms) {
  emu_stream* held = new_stream((emu_stream_kind){0});
  _Atomic uint64_t* word = hold(held);
  emu_stream* other = new_stream((emu_stream_kind){.priority = priority});
  unsigned char* block = NULL;
  CHECK(emu_allocate(64, (void**)&block) == EMU_OK);
  CHECK(emu_fill(block, 7, 64, other) == EMU_OK);
  bool passed = is_idle(other, patience_ms);
  atomic_store(word, 1);
  CHECK(is_idle(other, PATIENCE_MS) && is_idle(held, PATIENCE_MS));
  CHECK(emu_stream_destroy(held) == EMU_OK && emu_stream_destroy(other) == EMU_OK);
  return passed;
}

static void a_wait_blocks_its_hardware_queue(void) { CHECK(!gets_by(0, SOON_MS)); }

static void whatever_the_priority(void) { CHECK(!gets_by(-1, SOON_MS) && !gets_by(1, SOON_MS)); }

static void another_priority_has_other_queues(void) { CHECK(gets_by(-1, PATIENCE_MS)); }

/* Copies have queues of their own, in which one that cannot go on is in the way of the next. */
static void a_wait_blocks_copies_only_with_a_copy_behind_it(void) {
  prepare_beside();
  emu_stream* held = new_stream((emu_stream_kind){0});
  _Atomic uint64_t* word = hold(held);
  CHECK(copy(NULL) == EMU_OK && record(NULL) == EMU_OK && is_idle(beside, PATIENCE_MS));
  CHECK(emu_copy(used, EMU_DEVICE, used + 32, EMU_DEVICE, 8, held) == EMU_OK);
  CHECK(copy(NULL) == EMU_OK && !is_idle(beside, SOON_MS));
  atomic_store(word, 1);
  CHECK(is_idle(beside, PATIENCE_MS) && is_idle(held, PATIENCE_MS));
}

static void some_of_eight_queues_are_free(void) {
  int passed = 0;
  for (int i = 0; i < 12; i++) {
    passed += gets_by(0, SOON_MS);
  }
  CHECK(passed > 0);
}

static void the_seed_is_what_was_asked_for(void) { CHECK(emu_queue_seed() == 7); }

enum { STREAMS = 16, ALL_RANKS = 4 };

/* Which queues a rank's streams are in, as seen in a process of its own. */
static void deal(const char* rank, emu_queues dealt[STREAMS]) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    CHECK(setenv("RANK", rank, 1) == 0);
    for (int i = 0; i < STREAMS; i++) {
      dealt[i] = emu_queues_of(0, 0);
    }
    size_t bytes = STREAMS * sizeof *dealt;
    _exit(write(ends[1], dealt, bytes) == (ssize_t)bytes ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(read(ends[0], dealt, STREAMS * sizeof *dealt) == (ssize_t)(STREAMS * sizeof *dealt));
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void each_rank_has_its_own_deal(void) {
  emu_queues dealt[ALL_RANKS][STREAMS];
  emu_queues again[STREAMS];
  for (int rank = 0; rank < ALL_RANKS; rank++) {
    char text[] = {(char)('0' + rank), '\0'};
    deal(text, dealt[rank]);
    deal(text, again);
    CHECK(memcmp(dealt[rank], again, sizeof again) == 0);
    for (int other = 0; other < rank; other++) {
      CHECK(memcmp(dealt[rank], dealt[other], sizeof again) != 0);
    }
  }
}

static void run_until_told(void* word) {
  while (atomic_load((_Atomic uint64_t*)word) == 0) {
    rest_ms(1);
  }
}

/* A kernel that polls holds up nobody, until something is queued behind it. */
static void a_polling_kernel_blocks_with_what_is_behind_it(void) {
  static _Atomic uint64_t word;
  emu_stream* polls = new_stream((emu_stream_kind){0});
  emu_stream* other = new_stream((emu_stream_kind){0});
  unsigned char* block = NULL;
  CHECK(emu_allocate(64, (void**)&block) == EMU_OK);
  CHECK(emu_host_function(run_until_told, (void*)&word, polls) == EMU_OK);
  CHECK(emu_fill(block, 1, 64, other) == EMU_OK);
  CHECK(is_idle(other, PATIENCE_MS));
  CHECK(emu_fill(block, 2, 64, polls) == EMU_OK);
  CHECK(emu_fill(block, 3, 64, other) == EMU_OK);
  CHECK(!is_idle(other, SOON_MS));
  atomic_store(&word, 1);
  CHECK(is_idle(other, PATIENCE_MS) && is_idle(polls, PATIENCE_MS));
}

/* Even if nothing is behind it on its stream: it waits for the other members' kernels. */
static void a_collective_s_kernel_occupies_its_queue_until_all_have_come(void) {
  static _Atomic uint64_t all_have_come;
  emu_stream* collective = new_stream((emu_stream_kind){0});
  emu_stream* other = new_stream((emu_stream_kind){0});
  unsigned char* block = NULL;
  CHECK(emu_allocate(64, (void**)&block) == EMU_OK);
  CHECK(emu_stream_enqueue(collective, run_until_told, (void*)&all_have_come) == 0);
  CHECK(emu_fill(block, 1, 64, other) == EMU_OK);
  CHECK(!is_idle(other, SOON_MS));
  atomic_store(&all_have_come, 1);
  CHECK(is_idle(other, PATIENCE_MS) && is_idle(collective, PATIENCE_MS));
}

/* One way and the other: the default stream waits for blocking ones, and they for it; others do not take part. */
static void the_legacy_stream_is_in_order_with_blocking_ones(void) {
  emu_stream* blocking = new_stream((emu_stream_kind){.is_blocking = true});
  emu_stream* later = new_stream((emu_stream_kind){.is_blocking = true});
  emu_stream* apart = new_stream((emu_stream_kind){0});
  unsigned char* block = NULL;
  CHECK(emu_allocate(64, (void**)&block) == EMU_OK);
  _Atomic uint64_t* word = hold(blocking);
  CHECK(emu_fill(block, 1, 64, NULL) == EMU_OK);
  CHECK(emu_fill(block + 8, 1, 8, later) == EMU_OK);
  CHECK(emu_fill(block + 16, 1, 8, apart) == EMU_OK);
  CHECK(is_idle(apart, PATIENCE_MS));
  CHECK(!is_idle(NULL, SOON_MS) && !is_idle(later, 1));
  atomic_store(word, 1);
  CHECK(is_idle(NULL, PATIENCE_MS) && is_idle(later, PATIENCE_MS));
}

static void work_of_the_agent_behind_a_held_stream_is_a_deadlock(void) {
  emu_stream* blocking = new_stream((emu_stream_kind){.is_blocking = true});
  unsigned char* block = NULL;
  CHECK(emu_allocate(64, (void**)&block) == EMU_OK);
  _Atomic uint64_t* word = hold(NULL);
  CHECK(emu_fill(block, 1, 8, blocking) == EMU_OK);
  CHECK(!is_idle(blocking, SOON_MS) && emu_stream_query(blocking) == EMU_NOT_READY && !is_reported("deadlock"));
  CHECK(prctl(PR_SET_NAME, AGENT) == 0);
  CHECK(emu_fill(block, 1, 8, blocking) == EMU_OK);
  emu_stream* own = new_stream((emu_stream_kind){.is_blocking = true});
  CHECK(emu_fill(block, 1, 8, own) == EMU_OK);
  CHECK(!is_idle(own, PATIENCE_MS) && emu_stream_query(own) == EMU_STREAM_FAILED);
  CHECK(is_reported("deadlock: work of thread " AGENT) && is_reported("legacy"));
  atomic_store(word, 1);
  CHECK(is_idle(NULL, PATIENCE_MS) && is_idle(blocking, PATIENCE_MS));
}

static void without_the_habit_nothing_waits(void) {
  emu_stream* stream = new_stream((emu_stream_kind){0});
  _Atomic uint64_t* word = hold(stream);
  void* block = NULL;
  CHECK(emu_allocate(64, &block) == EMU_OK && emu_release(block, EMU_DEVICE) == EMU_OK);
  atomic_store(word, 1);
  CHECK(is_idle(stream, PATIENCE_MS));
}

typedef struct row {
  const char* strict; /* what it is about */
  const char* kind;   /* and off */
  const char* queues;
  void (*holds)(void);
} row;

#define ONE_QUEUE "1"

static const row rows[] = {
    {"frees", "", "8", frees_wait},
    {"frees", "", "8", frees_of_pinned_memory_wait},
    {"allocations", "frees", "8", allocations_wait},
    {"allocations", "frees", "8", allocations_of_pinned_memory_wait},
    {"registrations", "frees,allocations", "8", registrations_wait},
    {"registrations", "frees,allocations", "8", taking_registrations_back_waits},
    {"modules", "frees,allocations", "8", loading_code_waits},
    {"modules", "frees,allocations", "8", the_first_look_up_waits},
    {"modules", "frees,allocations", "8", a_later_look_up_does_not},
    {"modules", "frees,allocations", "8", unloading_code_waits},
    {"locks", "allocations", "8", calls_wait_for_a_free},
    {"locks", "allocations", "8", calls_wait_for_its_like},
    {"locks", "allocations", "8", the_agent_is_reported_at_once},
    {"locks", "", "8", queries_and_words_do_not_wait_for_a_free},
    {"locks", "", "8", a_look_up_holds_no_lock},
    {"", "locks", "8", without_locks_copies_do_not_either},
    {"frees", "", "8", who_is_not_waited_for_only_waits},
    {"frees,allocations", "", "8", another_device_s_work_is_not_waited_for},
    {"", "frees,allocations", "8", without_the_habit_nothing_waits},
    {"queues", "frees,allocations", ONE_QUEUE, a_wait_blocks_its_hardware_queue},
    {"queues", "frees,allocations,shares", ONE_QUEUE, another_priority_has_other_queues},
    {"shares", "frees,allocations", ONE_QUEUE, whatever_the_priority},
    {"shares", "frees,allocations", ONE_QUEUE, a_wait_blocks_copies_only_with_a_copy_behind_it},
    {"queues", "frees,allocations", ONE_QUEUE, a_polling_kernel_blocks_with_what_is_behind_it},
    {"queues", "frees,allocations", ONE_QUEUE, a_collective_s_kernel_occupies_its_queue_until_all_have_come},
    {"queues", "frees,allocations", "8", some_of_eight_queues_are_free},
    {"queues", "", "8", the_seed_is_what_was_asked_for},
    {"queues", "", "8", each_rank_has_its_own_deal},
    {"legacy", "frees,allocations", "8", the_legacy_stream_is_in_order_with_blocking_ones},
    {"legacy", "frees,allocations", "8", work_of_the_agent_behind_a_held_stream_is_a_deadlock},
};

static int run_row(const row* of) {
  pid_t child = fork();
  if (child == 0) {
    CHECK(setenv("TOMBOLO_EMU_KIND", of->kind, 1) == 0 && setenv("TOMBOLO_EMU_UNKIND", "locks,shares", 1) == 0);
    CHECK(setenv("CUDA_DEVICE_MAX_CONNECTIONS", of->queues, 1) == 0 && setenv("TOMBOLO_EMU_QUEUE_SEED", "7", 1) == 0);
    CHECK(setenv("TOMBOLO_EMU_DEADLOCK_MS", "200", 1) == 0 && setenv("TOMBOLO_EMU_REPORT", report_file, 1) == 0);
    CHECK(prctl(PR_SET_NAME, THREAD) == 0);
    of->holds();
    _exit(0);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return status;
}

int main(void) {
  char file[] = "/tmp/tombolo-strict-XXXXXX";
  int fd = mkstemp(file);
  CHECK(fd >= 0 && close(fd) == 0);
  report_file = file;
  int failed = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CHECK(truncate(file, 0) == 0);
    if (run_row(&rows[i]) != 0) {
      (void)fprintf(stderr, "row %zu failed: %s, kind %s\n", i, rows[i].strict, rows[i].kind);
      failed = 1;
    }
  }
  CHECK(unlink(file) == 0);
  return failed;
}
