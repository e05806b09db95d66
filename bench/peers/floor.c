// SPDX-License-Identifier: Apache-2.0
/*
 * floor WAIT RANKS OPERATION SIZE...: the least that an operation on f32 takes ranks on one host: C alone, and each reads
 * and writes the others' memory as its own. A short vector is handed over in a slot: one copy in, one out, one meeting. A
 * long one is read where it is, between a meeting at which all have come and one at which all have done. WAIT is what a rank
 * does until another has come: spin, yield its core after each look, or sleep in a futex, so that each meeting is a wake-up
 * each way.
 */
#include "ranks.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "operations.h"
#include "times.h"

enum { SHORT = 4096, PIECE = 4096, STREAMED = 4 << 20, MOST_RANKS = 64 };

enum waiting { SPIN, YIELD, SLEEP };

/* The number of a meeting and what is handed over there lie in one line, if that is short enough. */
struct slot {
  _Alignas(128) atomic_uint meeting;
  float data[SHORT / sizeof(float)];
};

static enum waiting waiting;
static int ranks;
static enum operation operation;
static char** sizes;
static struct slot* slots[MOST_RANKS]; /* two each: who is a meeting ahead writes into the other */
static float* in[MOST_RANKS];
static float* out[MOST_RANKS];

static int self;
static unsigned meetings;

static void* shared(size_t bytes) {
  void* at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  return at;
}

static void sleep_at(atomic_uint* word, unsigned seen) {
  if (syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0) != 0 && errno != EAGAIN && errno != EINTR) {
    perror("futex");
    exit(1);
  }
}

static void wake_at(atomic_uint* word) {
  if (syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) < 0) {
    perror("futex");
    exit(1);
  }
}

static bool is_behind(unsigned meeting) { return (int)(meeting - meetings) < 0; }

static void await(atomic_uint* word) {
  unsigned seen;
  while (is_behind(seen = atomic_load_explicit(word, memory_order_acquire))) {
    if (waiting == YIELD) (void)sched_yield();
    if (waiting == SLEEP) sleep_at(word, seen);
  }
}

static struct slot* slot_of(int rank, unsigned meeting) { return &slots[rank][meeting % 2]; }

static void meet(void) {
  meetings++;
  atomic_uint* own = &slot_of(self, meetings)->meeting;
  atomic_store_explicit(own, meetings, memory_order_release);
  if (waiting == SLEEP) wake_at(own);
  for (int step = 1; step < ranks; step++) await(&slot_of((self + step) % ranks, meetings)->meeting);
}

static void add(float* to, const float* a, const float* b, size_t count, bool streams) {
  size_t i = 0;
#ifdef __SSE__
  if (streams && (uintptr_t)to % 16 == 0) {
    for (; i + 4 <= count; i += 4) _mm_stream_ps(to + i, _mm_add_ps(_mm_loadu_ps(a + i), _mm_loadu_ps(b + i)));
    _mm_sfence();
  }
#else
  (void)streams;
#endif
#pragma GCC ivdep
  for (; i < count; i++) to[i] = a[i] + b[i];
}

/* The sum of elements [first, first + count) of all vectors, in the order of the ranks, in one pass over memory. */
static void fold(float* to, const float* const* vectors, size_t first, size_t count, bool streams) {
  static float piece[PIECE];
  for (size_t at = 0; at < count; at += PIECE) {
    size_t part = count - at < PIECE ? count - at : PIECE;
    const float* sum = vectors[0] + first + at;
    for (int rank = 1; rank < ranks; rank++) {
      bool last = rank == ranks - 1;
      add(last ? to + at : piece, sum, vectors[rank] + first + at, part, last && streams);
      sum = piece;
    }
  }
}

static void copy(float* to, const float* from, size_t count) { memcpy(to, from, count * sizeof *to); }

static size_t first_of(int rank, size_t block) { return (size_t)rank * block; }

/* The last block has what is left over. */
static size_t length_of(int rank, size_t block, size_t count) {
  return rank == ranks - 1 ? count - first_of(rank, block) : block;
}

/* Each combines a block where the vectors are, and takes the others' blocks from where they were combined. */
static void reduce_blocks(const float* const* vectors, size_t block, size_t count, bool streams) {
  size_t first = first_of(self, block);
  fold(out[self] + first, vectors, first, length_of(self, block, count), streams);
  meet();
  for (int step = 1; step < ranks; step++) {
    int rank = (self + step) % ranks;
    copy(out[self] + first_of(rank, block), out[rank] + first_of(rank, block), length_of(rank, block, count));
  }
}

static int operate(size_t count) {
  size_t block = count / (size_t)ranks;
  size_t bytes = count * sizeof(float);
  bool is_short = bytes <= SHORT;
  bool streams = bytes >= STREAMED;
  if (is_short) copy(slot_of(self, meetings + 1)->data, in[self], given(operation, count, ranks));
  meet();
  const float* vectors[MOST_RANKS];
  for (int rank = 0; rank < ranks; rank++) vectors[rank] = is_short ? slot_of(rank, meetings)->data : in[rank];
  switch (operation) {
    case ALL_REDUCE:
      if (is_short) {
        fold(out[self], vectors, 0, count, false);
      } else {
        reduce_blocks(vectors, block, count, streams);
      }
      break;
    case REDUCE_SCATTER: fold(out[self], vectors, first_of(self, block), block, streams); break;
    case BROADCAST: copy(out[self], vectors[0], count); break;
    case SEND_RECEIVE: copy(out[self], vectors[(self + ranks - 1) % ranks], count); break;
    default:
      for (int step = 0; step < ranks; step++) {
        int rank = (self + step) % ranks;
        size_t from = operation == ALL_TO_ALL ? first_of(self, block) : 0;
        copy(out[self] + first_of(rank, block), vectors[rank] + from, block);
      }
  }
  if (!is_short) meet();
  return 0;
}

static int measure(int rank) {
  self = rank;
  for (char** size = sizes; *size != NULL; size++) {
    size_t bytes = strtoull(*size, NULL, 10);
    size_t count = bytes / sizeof(float);
    fill(in[rank], given(operation, count, ranks), rank);
    memset(out[rank], 0, bytes);
    MEASURE(bytes, operate(count));
    if (check(operation, out[rank], count, rank, ranks) != 0) return 1;
  }
  return 0;
}

static enum waiting waiting_called(const char* name) {
  if (strcmp(name, "spin") == 0) return SPIN;
  if (strcmp(name, "yield") == 0) return YIELD;
  if (strcmp(name, "sleep") == 0) return SLEEP;
  fprintf(stderr, "nobody waits by %s: spin, yield or sleep\n", name);
  exit(2);
}

int main(int argc, char** argv) {
  if (argc < 5 || atoi(argv[2]) < 2 || atoi(argv[2]) > MOST_RANKS) {
    fprintf(stderr, "usage: floor spin|yield|sleep RANKS OPERATION SIZE..., of 2 to %d ranks\n", MOST_RANKS);
    return 2;
  }
  waiting = waiting_called(argv[1]);
  ranks = atoi(argv[2]);
  operation = operation_called(argv[3]);
  sizes = argv + 4;
  size_t most = 4096;
  for (char** size = sizes; *size != NULL; size++) {
    size_t bytes = strtoull(*size, NULL, 10);
    most = bytes > most ? bytes : most;
  }
  for (int rank = 0; rank < ranks; rank++) {
    slots[rank] = shared(2 * sizeof *slots[rank]);
    in[rank] = shared(most);
    out[rank] = shared(most);
  }
  return on_ranks(ranks, measure);
}
