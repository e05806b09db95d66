// SPDX-License-Identifier: Apache-2.0
/*
 * The host library with processes that were forked, and so have their buffers at equal addresses: what is read directly
 * must be what goes through the slots (at once or by shards) or in notes, at sizes on both sides of the limits, in place and
 * not, in windows and not.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../main/c/tombolo_host_ccl/direct.h"
#include "../../../main/c/tombolo_host_ccl/huge_pages.h"
#include "../../../main/c/tombolo_host_ccl/offer.h"
#include "../../../main/c/tombolo_host_ccl/piped.h"

enum { MAX_RANKS = 3, SHOWN = 70000, LONGEST_S = 600 };

static void check(bool holds, const char* what, long detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s (%ld); last error: %s\n", what, detail, engine_last_error());
    _exit(1);
  }
}

static void run(struct engine_comm* comm, struct engine_call call, const char* what) {
  engine_lock(comm);
  struct engine_ticket ticket = engine_ticket(comm);
  engine_unlock(comm);
  check(engine_run(comm, ticket, &call, 1) == ENGINE_OK, what, (long)call.count);
}

static int32_t value(int rank, size_t index) { return (int32_t)(index % 9973) * 7 + rank * 1000003; }

static void fill(int32_t* values, int rank, size_t count) {
  for (size_t i = 0; i < count; i++) {
    values[i] = value(rank, i);
  }
}

static void sums(struct engine_comm* comm, int32_t* in, int32_t* out, size_t count) {
  int size = engine_size(comm);
  int rank = engine_rank(comm);
  for (int in_place = 0; in_place < 2; in_place++) {
    int32_t* to = in_place ? in : out;
    fill(in, rank, count);
    run(comm, (struct engine_call){ENGINE_ALL_REDUCE, in, to, count, ENGINE_I32, ENGINE_SUM, 0}, "all_reduce");
    for (size_t i = 0; i < count; i++) {
      int32_t sum = 0;
      for (int member = 0; member < size; member++) {
        sum += value(member, i);
      }
      check(to[i] == sum, "sum", (long)i);
    }
  }
}

/* Whatever way the library would take. */
static void by_shards(struct engine_comm* comm, int32_t* in, int32_t* out, size_t count) {
  int size = engine_size(comm);
  for (int in_place = 0; in_place < 2; in_place++) {
    int32_t* to = in_place ? in : out;
    fill(in, engine_rank(comm), count);
    struct engine_call call = {ENGINE_ALL_REDUCE, in, to, count, ENGINE_I32, ENGINE_AVG, 0};
    check(piped_all_reduce(comm, &call) == ENGINE_OK, "all_reduce by shards", (long)count);
    for (size_t i = 0; i < count; i++) {
      int32_t average = (value(0, i) * size + 1000003 * (size * (size - 1) / 2)) / size;
      check(to[i] == average, "average", (long)i);
    }
  }
}

static void moves(struct engine_comm* comm, int32_t* in, int32_t* out, size_t count) {
  int size = engine_size(comm);
  int rank = engine_rank(comm);
  size_t all = count * (size_t)size;
  fill(in, rank, all);
  run(comm, (struct engine_call){ENGINE_ALL_TO_ALL, in, out, count, ENGINE_I32, ENGINE_SUM, 0}, "all_to_all");
  for (size_t i = 0; i < all; i++) {
    check(out[i] == value((int)(i / count), (size_t)rank * count + i % count), "block", (long)i);
  }
  run(comm, (struct engine_call){ENGINE_ALL_GATHER, in, out, count, ENGINE_I32, ENGINE_SUM, 0}, "all_gather");
  for (size_t i = 0; i < all; i++) {
    check(out[i] == value((int)(i / count), i % count), "gathered", (long)i);
  }
  memset(out, 0, all * sizeof *out);
  fill(out + (size_t)rank * count, rank, count);
  run(comm, (struct engine_call){ENGINE_ALL_GATHER, out + (size_t)rank * count, out, count, ENGINE_I32, ENGINE_SUM, 0}, "all_gather");
  for (size_t i = 0; i < all; i++) {
    check(out[i] == value((int)(i / count), i % count), "gathered in place", (long)i);
  }
  run(comm, (struct engine_call){ENGINE_BROADCAST, in, out, count, ENGINE_I32, ENGINE_SUM, size - 1}, "broadcast");
  for (size_t i = 0; i < count; i++) {
    check(out[i] == value(size - 1, i), "the root's", (long)i);
  }
}

/* Rank 0's result, which the others see: not a member's memory, as nobody else may look at that. */
static int32_t* shown;

/* Rank 2 comes only when rank 0 has what rank 1 sends: nobody is held up by who has not come. */
static void as_they_come(struct engine_comm* comm, size_t count) {
  int rank = engine_rank(comm);
  size_t all = count * (size_t)engine_size(comm);
  int32_t* in = malloc(all * sizeof *in);
  int32_t* out = rank == 0 ? shown : malloc(all * sizeof *out);
  check(in != NULL && out != NULL, "memory", (long)count);
  fill(in, rank, all);
  if (rank == 0) {
    memset(out, 0, all * sizeof *out);
  }
  int32_t one = 1, ranks = 0;
  run(comm, (struct engine_call){ENGINE_ALL_REDUCE, &one, &ranks, 1, ENGINE_I32, ENGINE_SUM, 0}, "before");
  while (rank == 2 && *(volatile int32_t*)&shown[2 * count - 1] != value(1, count - 1)) {
    (void)sched_yield(); /* until the alarm */
  }
  run(comm, (struct engine_call){ENGINE_ALL_TO_ALL, in, out, count, ENGINE_I32, ENGINE_SUM, 0}, "all_to_all");
  for (size_t i = 0; i < all; i++) {
    check(out[i] == value((int)(i / count), (size_t)rank * count + i % count), "block", (long)i);
  }
  free(in);
  if (rank != 0) {
    free(out);
  }
}

/* How many members have come to each meeting: members meet here without the library. */
static _Atomic int* come;

static void meet_outside(struct engine_comm* comm, int meeting) {
  (void)atomic_fetch_add(&come[meeting], 1);
  while (atomic_load(&come[meeting]) % engine_size(comm) != 0) {
    (void)sched_yield(); /* until the alarm */
  }
}

/* Who makes a call that all have offered waits for nobody; and what was offered is what was there then. */
static void offered(struct engine_comm* comm, struct engine_call call) {
  size_t sent = engine_send_count(&call, engine_rank(comm), engine_size(comm));
  int32_t* in = (int32_t*)(uintptr_t)call.send;
  fill(in, engine_rank(comm), sent);
  check(offer_call(comm, call) == ENGINE_OK && comm->offered, "an offer", (long)call.count);
  memset(in, 0, call.send == call.receive ? 0 : sent * sizeof *in);
  for (int turn = 0; turn < engine_size(comm); turn++) {
    meet_outside(comm, turn);
    if (turn == engine_rank(comm)) {
      run(comm, call, "what was offered");
      check(!comm->offered, "it is made once", (long)call.count);
    }
  }
  meet_outside(comm, MAX_RANKS);
}

static void sums_and_blocks_offered(struct engine_comm* comm, int32_t* in, int32_t* out, size_t count) {
  int size = engine_size(comm);
  for (int in_place = 0; in_place < 2; in_place++) {
    int32_t* to = in_place ? in : out;
    offered(comm, (struct engine_call){ENGINE_ALL_REDUCE, in, to, count, ENGINE_I32, ENGINE_SUM, 0});
    for (size_t i = 0; i < count; i++) {
      int32_t sum = 0;
      for (int member = 0; member < size; member++) {
        sum += value(member, i);
      }
      check(to[i] == sum, "sum of what was offered", (long)i);
    }
  }
  offered(comm, (struct engine_call){ENGINE_ALL_GATHER, in, out, count, ENGINE_I32, ENGINE_SUM, 0});
  for (size_t i = 0; i < count * (size_t)size; i++) {
    check(out[i] == value((int)(i / count), i % count), "gathered of what was offered", (long)i);
  }
  offered(comm, (struct engine_call){ENGINE_BROADCAST, in, out, count, ENGINE_I32, ENGINE_SUM, size - 1});
  for (size_t i = 0; i < count; i++) {
    check(out[i] == value(size - 1, i), "the root's, offered", (long)i);
  }
}

/* Some offer and some do not: all make the same call. */
static void partly_offered(struct engine_comm* comm, int32_t* in, int32_t* out, size_t count) {
  for (int round = 0; round < 2 * engine_size(comm); round++) {
    struct engine_call call = {ENGINE_ALL_REDUCE, in, out, count, ENGINE_I32, ENGINE_MAX, 0};
    fill(in, engine_rank(comm), count);
    if ((engine_rank(comm) + round) % 3 != 0) {
      check(offer_call(comm, call) == ENGINE_OK, "an offer", (long)count);
      check(offer_call(comm, call) == ENGINE_OK, "and once more, which changes nothing", (long)count);
    }
    run(comm, call, "what some have offered");
    for (size_t i = 0; i < count; i++) {
      check(out[i] == value(engine_size(comm) - 1, i), "maximum of what some have offered", (long)i);
    }
  }
}

/* What goes another way than by the slots, or has nothing to send, is not begun. */
static void not_begun(struct engine_comm* comm, int32_t* in, int32_t* out, size_t large) {
  struct engine_call call = {ENGINE_ALL_REDUCE, in, out, large, ENGINE_I32, ENGINE_SUM, 0};
  check(offer_call(comm, call) == ENGINE_OK && !comm->offered, "a large call is not begun", (long)large);
  call.count = 0;
  check(offer_call(comm, call) == ENGINE_OK && !comm->offered, "nor is one of nothing", 0);
  sums(comm, in, out, large);
}

static void offers(struct engine_comm* comm) {
  enum { LARGE = 150000 };
  const size_t counts[] = {1, 28, 29, 5000};
  int32_t* in = malloc(LARGE * sizeof *in);
  int32_t* out = malloc((size_t)MAX_RANKS * LARGE * sizeof *out);
  check(in != NULL && out != NULL, "memory", LARGE);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    sums_and_blocks_offered(comm, in, out, counts[c]);
    partly_offered(comm, in, out, counts[c]);
    sums(comm, in, out, counts[c]);
  }
  not_begun(comm, in, out, LARGE);
  free(in);
  free(out);
}

/* Who makes another call than it has offered is told; the communicator is of no use afterwards. */
static void another_than_offered(struct engine_comm* comm) {
  int32_t in = 1, out = 0;
  struct engine_call call = {ENGINE_ALL_REDUCE, &in, &out, 1, ENGINE_I32, ENGINE_SUM, 0};
  check(offer_call(comm, call) == ENGINE_OK, "an offer", 1);
  call.op = ENGINE_MAX;
  engine_lock(comm);
  struct engine_ticket ticket = engine_ticket(comm);
  engine_unlock(comm);
  check(engine_run(comm, ticket, &call, 1) == ENGINE_USAGE, "another call", 1);
  check(strstr(engine_last_error(), "another call than the one it has offered") != NULL, "it is told why", 0);
  check(out == 0, "its result", out);
  check(offer_call(comm, call) == ENGINE_USAGE, "an offer afterwards", 1);
}

/* Buffers in windows; those of the ranks begin at different distances from the windows' beginnings: `step` elements more. */
static void in_windows(struct engine_comm* comm, size_t count, size_t step) {
  size_t all = (count * (size_t)engine_size(comm) + 64) * sizeof(int32_t);
  size_t shift = step * (size_t)engine_rank(comm);
  void* memory[2];
  for (int i = 0; i < 2; i++) {
    check(window_allocate(&memory[i], all) == ENGINE_OK, "a window's memory", (long)all);
    check(window_register(comm, memory[i]) == ENGINE_OK, "a window", i);
  }
  int32_t* in = (int32_t*)memory[0] + shift;
  int32_t* out = (int32_t*)memory[1] + shift;
  in[count] = out[count] = -1;
  sums(comm, in, out, count);
  check(in[count] == -1 && out[count] == -1, "what is behind a result", (long)count);
  moves(comm, in, out, count);
  struct window_place beyond = window_find(comm, (char*)memory[1] + all - 8, 16);
  check(beyond.window == 0, "what ends behind a window is not in it", (long)beyond.window);
  for (int i = 0; i < 2; i++) {
    check(window_free(memory[i]) == ENGINE_OK, "giving back", i);
  }
  check(window_free(memory[0]) == ENGINE_ARGUMENT, "giving back twice", 0);
}

static void* registered(struct engine_comm* comm, size_t bytes) {
  void* memory;
  check(window_allocate(&memory, bytes) == ENGINE_OK, "a window's memory", (long)bytes);
  check(window_register(comm, memory) == ENGINE_OK, "a window", (long)bytes);
  return memory;
}

/* Only one member's buffers are in windows, or one of its two: all go the way that all can go. */
static void partly_in_windows(struct engine_comm* comm, size_t count) {
  size_t all = count * (size_t)engine_size(comm) * sizeof(int32_t);
  void* window = registered(comm, all);
  int32_t* in = malloc(all);
  int32_t* out = malloc(all);
  check(in != NULL && out != NULL, "memory", (long)count);
  bool odd = engine_rank(comm) == 1;
  struct engine_call call = {ENGINE_ALL_REDUCE, in, out, count, ENGINE_I32, ENGINE_SUM, 0};
  check(offer_call(comm, call) == ENGINE_OK && !comm->offered, "what windows may be tried for is not begun", (long)count);
  sums(comm, odd ? window : in, out, count);
  moves(comm, odd ? window : in, out, count);
  sums(comm, in, odd ? out : window, count);
  moves(comm, in, odd ? out : window, count);
  check(window_free(window) == ENGINE_OK, "giving back", 0);
  free(in);
  free(out);
}

/* Who neither sends nor receives needs no buffer, in a window or elsewhere. */
static void bystanders(struct engine_comm* comm) {
  enum { COUNT = 3000, ROOT = 1 };
  int32_t* in = registered(comm, COUNT * sizeof *in);
  int32_t* out = registered(comm, COUNT * sizeof *out);
  bool is_root = engine_rank(comm) == ROOT;
  fill(in, engine_rank(comm), COUNT);
  struct engine_call call = {ENGINE_REDUCE, in, is_root ? out : NULL, COUNT, ENGINE_I32, ENGINE_MAX, ROOT};
  struct direct direct = {.comm = comm, .call = &call, .element_bytes = sizeof *in};
  check(direct_open(&direct, true) == ENGINE_OK && direct.mapped, "all that matters is in windows", 0);
  check(direct.send[engine_rank(comm)] == (void*)in, "what it sends is where the caller has it", 0);
  check(direct_close(&direct, ENGINE_OK) == ENGINE_OK, "the end", 0);
  run(comm, call, "reduce");
  for (size_t i = 0; is_root && i < COUNT; i++) {
    check(out[i] == value(engine_size(comm) - 1, i), "maximum", (long)i);
  }
  check(window_free(in) == ENGINE_OK && window_free(out) == ENGINE_OK, "giving back", 0);
}

static long mappings(void) {
  FILE* list = fopen("/proc/self/maps", "r");
  check(list != NULL, "the list of mappings", 0);
  char line[512];
  long count = 0;
  while (fgets(line, sizeof line, list) != NULL) {
    count += strstr(line, "tombolo-window") != NULL;
  }
  (void)fclose(list);
  return count;
}

/* What was given back is in no window any more, although something else lies there now; and it is not kept for long. */
static void given_back(struct engine_comm* comm) {
  enum { BYTES = 1 << 20, MANY = 20 };
  void* kept = registered(comm, BYTES);
  for (int i = 0; i < MANY; i++) {
    void* memory = registered(comm, BYTES);
    check(window_find(comm, memory, BYTES).window != 0, "it is in a window", i);
    check(window_free(memory) == ENGINE_OK, "giving back", i);
    void* other = mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    check(other == memory && window_find(comm, other, BYTES).window == 0, "what lies there now is not", i);
    sums(comm, other, kept, BYTES / sizeof(int32_t));
    (void)munmap(other, BYTES);
    check(mappings() <= 1 + 2 * (engine_size(comm) + 1), "mappings", mappings());
  }
  check(window_free(kept) == ENGINE_OK, "giving back", 0);
}

/* What is not from window_allocate is refused at all members, and the communicator goes on. */
static void refused(struct engine_comm* comm) {
  int32_t value = 1, sum = 0;
  void* memory = &value;
  if (engine_rank(comm) > 0) {
    check(window_allocate(&memory, sizeof value) == ENGINE_OK, "memory", 0);
  }
  check(window_register(comm, memory) == ENGINE_REMOTE, "a member's own memory as a window", 0);
  run(comm, (struct engine_call){ENGINE_ALL_REDUCE, &value, &sum, 1, ENGINE_I32, ENGINE_SUM, 0}, "afterwards");
  check(sum == engine_size(comm), "sum", sum);
  if (engine_rank(comm) > 0) {
    check(window_free(memory) == ENGINE_OK, "giving back", 0);
  }
}

/* Whoever left a call that failed has its buffers back: nobody writes them, and the others hear why. */
static void withdrawn(struct engine_comm* comm) {
  enum { COUNT = 100000 };
  static int32_t in[COUNT], out[COUNT];
  fill(in, engine_rank(comm), COUNT);
  struct engine_call call = {ENGINE_ALL_REDUCE, in, out, COUNT, ENGINE_I32, ENGINE_SUM, 0};
  struct direct direct = {.comm = comm, .call = &call, .element_bytes = sizeof *in};
  check(direct_open(&direct, false) == ENGINE_OK, "the addresses", 0);
  check(direct_meet_all(&direct) == ENGINE_OK, "everyone's addresses", 0);
  bool leaves = engine_rank(comm) == 1;
  if (leaves) {
    check(direct_close(&direct, ENGINE_INTERNAL) == ENGINE_INTERNAL, "the failure", 0);
  }
  int32_t left = 1, all = 0;
  run(comm, (struct engine_call){ENGINE_ALL_REDUCE, &left, &all, 1, ENGINE_I32, ENGINE_SUM, 0}, "after it left");
  if (!leaves) {
    check(direct_all_reduce(&direct) == ENGINE_REMOTE, "a result for one who left", 0);
    check(strstr(engine_last_error(), "rank 1") != NULL, "the one who left is named", 0);
  }
  run(comm, (struct engine_call){ENGINE_ALL_REDUCE, &left, &all, 1, ENGINE_I32, ENGINE_SUM, 0}, "after the refusals");
  for (size_t i = 0; leaves && i < COUNT; i++) {
    check(out[i] == 0, "a buffer that was given back", (long)i);
  }
}

/* Who leaves a call while another member is in the middle of writing is told that its buffers are not its own again. */
static void left_while_written(struct engine_comm* comm) {
  enum { COUNT = 100000 };
  static int32_t in[COUNT], out[COUNT];
  struct engine_call call = {ENGINE_ALL_REDUCE, in, out, COUNT, ENGINE_I32, ENGINE_SUM, 0};
  struct direct direct = {.comm = comm, .call = &call, .element_bytes = sizeof *in};
  check(direct_open(&direct, false) == ENGINE_OK, "the addresses", 0);
  check(direct_meet_all(&direct) == ENGINE_OK, "everyone's addresses", 0);
  int32_t one = 1, all = 0;
  struct engine_call meet = {ENGINE_ALL_REDUCE, &one, &all, 1, ENGINE_I32, ENGINE_SUM, 0};
  bool writes = engine_rank(comm) == 0;
  if (writes) {
    check(direct_begin_writing(&direct) == ENGINE_OK, "the beginning", 0);
  }
  run(comm, meet, "while it writes");
  if (engine_rank(comm) == 1) {
    (void)engine_error(ENGINE_INTERNAL, "the cause");
    check(direct_close(&direct, ENGINE_INTERNAL) == ENGINE_WRITTEN, "a result that tells of the writer", 0);
    check(strstr(engine_last_error(), "rank 0 may still write rank 1's") != NULL, "the writer is named", 0);
    check(strstr(engine_last_error(), "the cause") != NULL, "so is the cause", 0);
    atomic_store(&comm->segment->members[1].withdrawn, 0); /* for what comes next */
  }
  run(comm, meet, "after it left");
  if (writes) {
    direct_end_writing(&direct);
  }
}

/* Bytes in huge pages of the mapping that begins at or before `memory` and holds it, by a line of the system's list. */
static size_t huge_bytes(const void* memory, const char* kind) {
  FILE* maps = fopen("/proc/self/smaps", "r");
  check(maps != NULL, "the list of mappings", 0);
  char line[512];
  bool inside = false;
  size_t kibibytes = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    uintptr_t from = 0, to = 0;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
      inside = from <= (uintptr_t)memory && (uintptr_t)memory < to;
    } else if (inside && strncmp(line, kind, strlen(kind)) == 0) {
      kibibytes = strtoul(line + strlen(kind), NULL, 10);
    }
  }
  (void)fclose(maps);
  return kibibytes * 1024;
}

/* Whether this system gathers pages at all: it may be too old, or have no memory in one piece. */
static bool gathers(void) {
  enum { BYTES = 8 * 1024 * 1024 };
  char* memory = malloc(BYTES);
  check(memory != NULL, "memory", BYTES);
  memset(memory, 1, BYTES);
  huge_pages_gather(memory, BYTES);
  bool does = huge_bytes(memory + BYTES / 2, "AnonHugePages:") > 0;
  free(memory);
  return does;
}

/* However often it is used, a file that somebody has mapped privately and sends is not copied page by page. */
static void files_are_not_copied(void) {
  enum { BYTES = 8 * 1024 * 1024 };
  int fd = memfd_create("test", MFD_CLOEXEC);
  check(fd >= 0 && ftruncate(fd, BYTES) == 0, "a file", BYTES);
  char* memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  check(memory != MAP_FAILED, "a private mapping", BYTES);
  for (int use = 0; use < 16; use++) {
    huge_pages_note_use(memory, BYTES);
  }
  check(huge_bytes(memory, "Anonymous:") == 0, "pages that were copied", (long)huge_bytes(memory, "Anonymous:"));
  (void)munmap(memory, BYTES);
  (void)close(fd);
}

/* What is used again and again is gathered, a window at once. */
static void in_huge_pages(struct engine_comm* comm) {
  enum { COUNT = 4 * 1024 * 1024, BYTES = COUNT * 4, MOST = BYTES - 4 * 1024 * 1024 };
  int32_t* in = aligned_alloc(4096, BYTES);
  int32_t* out = aligned_alloc(4096, BYTES);
  void* window = NULL;
  check(in != NULL && out != NULL && window_allocate(&window, BYTES) == ENGINE_OK, "memory", BYTES);
  for (int twice = 0; twice < 2; twice++) { /* two calls each */
    sums(comm, in, out, COUNT);
  }
  if (gathers()) {
    check(huge_bytes(in + COUNT / 2, "AnonHugePages:") >= MOST, "huge pages of what was used", BYTES);
    check(huge_bytes((char*)window + BYTES / 2, "ShmemPmdMapped:") >= MOST, "huge pages of a window", BYTES);
  } else if (engine_rank(comm) == 0) {
    (void)printf("without huge pages: this system gathers none\n");
  }
  free(in);
  free(out);
  check(window_free(window) == ENGINE_OK, "giving back", 0);
}

static void member(const unsigned char* id, int rank, int size) {
  struct engine_comm* comm;
  check(engine_join(&comm, id, rank, size) == ENGINE_OK, "join", rank);
  if (size == 3) { /* before there are windows, for which all meet */
    as_they_come(comm, 1);
    as_they_come(comm, 20000);
    as_they_come(comm, SHOWN);
  }
  offers(comm);
  const size_t counts[] = {1, 9, 28, 29, 1000, 1025, 17000, 65535, 65537, 131071, 131075, 2100003};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    int32_t* in = malloc(counts[c] * (size_t)size * sizeof *in);
    int32_t* out = malloc(counts[c] * (size_t)size * sizeof *out);
    check(in != NULL && out != NULL, "memory", (long)counts[c]);
    sums(comm, in, out, counts[c]);
    by_shards(comm, in, out, counts[c]);
    moves(comm, in, out, counts[c]);
    free(in);
    free(out);
    in_windows(comm, counts[c], 8);
    in_windows(comm, counts[c], 16); /* the beginning of a cache line everywhere */
  }
  in_huge_pages(comm);
  partly_in_windows(comm, 1025);
  partly_in_windows(comm, 17000);
  partly_in_windows(comm, 2100003);
  bystanders(comm);
  given_back(comm);
  refused(comm);
  if (size == 2) { /* it takes a second */
    left_while_written(comm);
  }
  withdrawn(comm);
  another_than_offered(comm);
  engine_destroy(comm);
}

int main(void) {
  files_are_not_copied();
  shown = mmap(NULL, (size_t)MAX_RANKS * SHOWN * sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(shown != MAP_FAILED, "memory that all see", SHOWN);
  come = mmap(NULL, (MAX_RANKS + 1) * sizeof *come, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(come != MAP_FAILED, "memory that all see", MAX_RANKS);
  for (int size = 2; size <= MAX_RANKS; size++) {
    for (int meeting = 0; meeting <= MAX_RANKS; meeting++) {
      atomic_store(&come[meeting], 0);
    }
    unsigned char id[ENGINE_ID_BYTES];
    check(engine_unique_id(id) == ENGINE_OK, "unique id", 0);
    for (int rank = 0; rank < size; rank++) {
      if (fork() == 0) {
        (void)alarm(LONGEST_S); /* a member that is left alone does not stay */
        member(id, rank, size);
        _exit(0);
      }
    }
    int failed = 0;
    for (int rank = 0; rank < size; rank++) {
      int status = 0;
      failed += wait(&status) < 0 || status != 0;
    }
    if (failed > 0) {
      (void)fprintf(stderr, "FAILED: %d of %d members\n", failed, size);
      return 1;
    }
  }
  return 0;
}
