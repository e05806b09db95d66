/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All operations by all types, operators and some sizes, against values computed here. Ranks, vendors and the like come
 * from the environment. Values are small whole numbers, of which even 8-bit floats have all results but averages, which
 * are rounded. Arguments: the first type, and how many types on the next one is (0 1: all).
 */
#include "elements.h"
#include "program.h"

enum { MAX_RANKS = 8, MOST = 1000 * MAX_RANKS };

static tombolo_comm comm;
static int32_t rank;
static int32_t ranks;
static long made;

/* Host copies, and the device's memory. */
static unsigned char input[MOST * MAX_BYTES];
static unsigned char output[MOST * MAX_BYTES];
static unsigned char expected[MOST * MAX_BYTES];
static void* send;
static void* receive;

/* 0, 1, 2 for products; -1 to 2 elsewhere, 0 to 3 where there are no signs or bits matter. */
static double value(int of_rank, long index, tombolo_type type, tombolo_op op) {
  long number = (of_rank * 5 + index * 3 + index / 7) % 4;
  int plain = type == TOMBOLO_U8 || type == TOMBOLO_U16 || type == TOMBOLO_U32 || type == TOMBOLO_U64 || op >= TOMBOLO_BAND;
  if (type == TOMBOLO_BOOL) {
    return number % 2;
  }
  if (op == TOMBOLO_PROD) {
    return number % 3;
  }
  return (double)(plain ? number : number - 1);
}

static void fill(tombolo_type type, tombolo_op op, long count) {
  size_t size = tombolo_type_size(type);
  for (long i = 0; i < count; i++) {
    put(input + (size_t)i * size, type, value(rank, i, type, op));
  }
  OK(tombolo_copy_to_device(comm, send, input, (uint64_t)count * size));
  memset(output, 0x55, (size_t)count * size);
  OK(tombolo_copy_to_device(comm, receive, output, (uint64_t)count * size));
}

/* Of a pre-multiplied sum. */
static double factor(int of_rank) {
  return of_rank % 2 + 1;
}

/* Every call is made in another way than the one before. */
static tombolo_call how(void) {
  static const uint32_t ways[] = {0, TOMBOLO_BLOCKING, TOMBOLO_ASYNC, TOMBOLO_HOST_ORDER, TOMBOLO_BRIEFLY,
                                  TOMBOLO_HOST_ORDER | TOMBOLO_BLOCKING};
  tombolo_call call = TOMBOLO_CALL_INIT;
  call.flags = ways[made++ % (long)(sizeof ways / sizeof ways[0])];
  call.timeout_ms = 60000;
  call.factor = factor(rank);
  return call;
}

/* Calls that end at once give no work. */
static void finish(tombolo_work work) {
  if (work != 0) {
    OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
    OK(tombolo_release(work));
  }
}

static void compare(const char* what, tombolo_type type, tombolo_op op, long from, long count) {
  size_t size = tombolo_type_size(type);
  OK(tombolo_copy_to_host(comm, output, receive, (uint64_t)(from + count) * size));
  for (long i = from; i < from + count; i++) {
    REQUIRE(memcmp(output + (size_t)i * size, expected + (size_t)i * size, size) == 0,
            "%s of type %d by %d on rank %d: element %ld of %ld is %02x, not %02x", what, type, op, rank, i, count,
            output[(size_t)i * size], expected[(size_t)i * size]);
  }
}

/* Ranks `from` to `to` combined, element `index` of their vectors. */
static double combined(tombolo_type type, tombolo_op op, int from, int to, long index) {
  double result = value(from, index, type, op) * (op == TOMBOLO_PREMUL_SUM ? factor(from) : 1);
  for (int each = from + 1; each < to; each++) {
    double next = value(each, index, type, op) * (op == TOMBOLO_PREMUL_SUM ? factor(each) : 1);
    result = combine(type, op, result, next);
  }
  return op != TOMBOLO_AVG ? result : is_floating(type) ? result / ranks : (double)((int64_t)result / ranks);
}

static void expect(tombolo_type type, tombolo_op op, int from, int to, long first, long count) {
  for (long i = 0; i < count; i++) {
    put(expected + (size_t)i * tombolo_type_size(type), type, combined(type, op, from, to, first + i));
  }
}

static void reductions(tombolo_type type, tombolo_op op, long count) {
  tombolo_work work;
  tombolo_call call = how();
  uint64_t n = (uint64_t)count;
  int root = (int)(count % ranks);

  fill(type, op, count);
  OK(tombolo_all_reduce(comm, send, receive, n, type, op, &call, &work));
  finish(work);
  expect(type, op, 0, ranks, 0, count);
  compare("all_reduce", type, op, 0, count);

  fill(type, op, count);
  call = how();
  OK(tombolo_reduce(comm, send, receive, n, type, op, root, &call, &work));
  finish(work);
  if (rank == root) {
    compare("reduce", type, op, 0, count);
  }

  long block = count;
  fill(type, op, block * ranks);
  call = how();
  OK(tombolo_reduce_scatter(comm, send, receive, (uint64_t)block, type, op, &call, &work));
  finish(work);
  expect(type, op, 0, ranks, rank * block, block);
  compare("reduce_scatter", type, op, 0, block);
}

static void prefixes(tombolo_type type, tombolo_op op, long count) {
  tombolo_work work;
  tombolo_call call = how();
  if (op == TOMBOLO_AVG) {
    FAILS(TOMBOLO_UNSUPPORTED, "avg", tombolo_scan(comm, send, receive, 1, type, op, &call, &work));
    return;
  }
  fill(type, op, count);
  OK(tombolo_scan(comm, send, receive, (uint64_t)count, type, op, &call, &work));
  finish(work);
  expect(type, op, 0, rank + 1, 0, count);
  compare("scan", type, op, 0, count);
  if (rank > 0) {
    expect(type, op, 0, rank, 0, count);
  }
  call = how();
  OK(tombolo_exscan(comm, send, receive, (uint64_t)count, type, op, &call, &work));
  finish(work);
  compare("exscan", type, op, 0, count);
}

/* Element `index` of the vector of `of_rank`, where the results are to be. */
static void expect_at(tombolo_type type, long at, int of_rank, long index) {
  put(expected + (size_t)at * tombolo_type_size(type), type, value(of_rank, index, type, TOMBOLO_SUM));
}

static void even_moves(tombolo_type type, long count) {
  tombolo_work work;
  uint64_t n = (uint64_t)count;
  int root = (int)((count + 1) % ranks);

  fill(type, TOMBOLO_SUM, count);
  tombolo_call call = how();
  OK(tombolo_broadcast(comm, rank == root ? send : NULL, receive, n, type, root, &call, &work));
  finish(work);
  for (long i = 0; i < count; i++) {
    expect_at(type, i, root, i);
  }
  compare("broadcast", type, TOMBOLO_SUM, 0, count);

  fill(type, TOMBOLO_SUM, count * ranks);
  call = how();
  OK(tombolo_all_gather(comm, send, receive, n, type, &call, &work));
  finish(work);
  for (long i = 0; i < count * ranks; i++) {
    expect_at(type, i, (int)(i / count), i % count);
  }
  compare("all_gather", type, TOMBOLO_SUM, 0, count * ranks);

  fill(type, TOMBOLO_SUM, count * ranks);
  call = how();
  OK(tombolo_gather(comm, send, receive, n, type, root, &call, &work));
  finish(work);
  if (rank == root) {
    compare("gather", type, TOMBOLO_SUM, 0, count * ranks);
  }

  fill(type, TOMBOLO_SUM, count * ranks);
  call = how();
  OK(tombolo_scatter(comm, send, receive, n, type, root, &call, &work));
  finish(work);
  for (long i = 0; i < count; i++) {
    expect_at(type, i, root, rank * count + i);
  }
  compare("scatter", type, TOMBOLO_SUM, 0, count);

  fill(type, TOMBOLO_SUM, count * ranks);
  call = how();
  OK(tombolo_all_to_all(comm, send, receive, n, type, &call, &work));
  finish(work);
  for (long i = 0; i < count * ranks; i++) {
    expect_at(type, i, (int)(i / count), rank * count + i % count);
  }
  compare("all_to_all", type, TOMBOLO_SUM, 0, count * ranks);
}

/* Rank r's block has `count` - r elements, and begins `gap` after the one before it. */
static void uneven_moves(tombolo_type type, long count, long gap) {
  tombolo_work work;
  int64_t counts[MAX_RANKS];
  int64_t offsets[MAX_RANKS];
  int root = (int)(count % ranks);
  long all = 0;
  for (int each = 0; each < ranks; each++) {
    counts[each] = count > each ? count - each : 0;
    offsets[each] = all;
    all += counts[each] + gap;
  }
  const int64_t* places = gap == 0 ? NULL : offsets;

  fill(type, TOMBOLO_SUM, all);
  tombolo_call call = how();
  OK(tombolo_all_gather_v(comm, send, receive, counts, places, type, &call, &work));
  finish(work);
  for (int each = 0; each < ranks; each++) {
    for (long i = 0; i < counts[each]; i++) {
      expect_at(type, offsets[each] + i, each, i);
    }
    compare("all_gather_v", type, TOMBOLO_SUM, offsets[each], counts[each]);
  }

  fill(type, TOMBOLO_SUM, all);
  call = how();
  OK(tombolo_gather_v(comm, send, receive, counts, places, type, root, &call, &work));
  finish(work);
  for (int each = 0; each < ranks && rank == root; each++) {
    compare("gather_v", type, TOMBOLO_SUM, offsets[each], counts[each]);
  }

  fill(type, TOMBOLO_SUM, all);
  call = how();
  OK(tombolo_scatter_v(comm, send, receive, counts, places, type, root, &call, &work));
  finish(work);
  for (long i = 0; i < counts[rank]; i++) {
    expect_at(type, i, root, offsets[rank] + i);
  }
  compare("scatter_v", type, TOMBOLO_SUM, 0, counts[rank]);

  fill(type, TOMBOLO_MAX, all);
  call = how();
  OK(tombolo_reduce_scatter_v(comm, send, receive, counts, places, type, TOMBOLO_MAX, &call, &work));
  finish(work);
  expect(type, TOMBOLO_MAX, 0, ranks, offsets[rank], counts[rank]);
  compare("reduce_scatter_v", type, TOMBOLO_MAX, 0, counts[rank]);
}

/* Rank r sends (r + s) % 3 elements more than `count` to rank s. */
static void uneven_pairs(tombolo_type type, long count) {
  tombolo_work work;
  int64_t counts[MAX_RANKS];
  int64_t offsets[MAX_RANKS];
  long all = 0;
  for (int each = 0; each < ranks; each++) {
    counts[each] = count + (rank + each) % 3;
    offsets[each] = all;
    all += counts[each];
  }
  fill(type, TOMBOLO_SUM, all);
  tombolo_call call = how();
  OK(tombolo_all_to_all_v(comm, send, counts, NULL, receive, counts, offsets, type, &call, &work));
  finish(work);
  for (int each = 0; each < ranks; each++) {
    long there = 0; /* where this rank's block begins in the sender's vector */
    for (int before = 0; before < rank; before++) {
      there += count + (each + before) % 3;
    }
    for (long i = 0; i < counts[each]; i++) {
      expect_at(type, offsets[each] + i, each, there + i);
    }
  }
  compare("all_to_all_v", type, TOMBOLO_SUM, 0, all);
}

/* To the next rank, from the one before; as a group and, between two ranks, one after the other. */
static void messages(tombolo_type type, long count) {
  tombolo_work work;
  int next = (rank + 1) % ranks;
  int before = (rank + ranks - 1) % ranks;
  fill(type, TOMBOLO_SUM, count);
  tombolo_call call = how();
  OK(tombolo_group_start(comm));
  OK(tombolo_send(comm, send, (uint64_t)count, type, next, 0, NULL, NULL));
  OK(tombolo_receive(comm, receive, (uint64_t)count, type, before, 0, NULL, &work));
  REQUIRE(work == 0, "a call of a group gives no work");
  OK(tombolo_group_end(comm, &call, &work));
  finish(work);
  for (long i = 0; i < count; i++) {
    expect_at(type, i, before, i);
  }
  compare("messages", type, TOMBOLO_SUM, 0, count);

  fill(type, TOMBOLO_SUM, count);
  tombolo_call host = TOMBOLO_CALL_INIT;
  host.flags = TOMBOLO_ASYNC;
  tombolo_work other;
  OK(tombolo_send(comm, send, (uint64_t)count, type, next, 3, &host, &work));
  host.flags = TOMBOLO_HOST_ORDER;
  int32_t from = count > 0 && ranks > 1 ? TOMBOLO_ANY_RANK : before;
  OK(tombolo_receive(comm, receive, (uint64_t)count, type, from, 3, &host, &other));
  finish(work);
  if (from == TOMBOLO_ANY_RANK) {
    OK(tombolo_wait(other, TOMBOLO_STANDARD_TIME));
    tombolo_work_info info = {.size = sizeof info};
    OK(tombolo_work_query(other, &info));
    REQUIRE(info.source == before, "it came from rank %d, not from %d", info.source, before);
  }
  finish(other);
  compare("messages", type, TOMBOLO_SUM, 0, count);
}

/* Two all_reduces in one operation. */
static void group(tombolo_type type, long count) {
  tombolo_work work;
  size_t bytes = (size_t)count * tombolo_type_size(type);
  fill(type, TOMBOLO_SUM, 2 * count);
  tombolo_call call = how();
  OK(tombolo_group_start(comm));
  OK(tombolo_all_reduce(comm, send, receive, (uint64_t)count, type, TOMBOLO_SUM, NULL, NULL));
  OK(tombolo_all_reduce(comm, (char*)send + bytes, (char*)receive + bytes, (uint64_t)count, type, TOMBOLO_SUM, NULL,
                        NULL));
  OK(tombolo_group_end(comm, &call, &work));
  finish(work);
  expect(type, TOMBOLO_SUM, 0, ranks, 0, 2 * count);
  compare("group", type, TOMBOLO_SUM, 0, 2 * count);
}

static void by_type(tombolo_type type, long count) {
  for (int op = TOMBOLO_SUM; op <= TOMBOLO_PREMUL_SUM; op++) {
    if (!has_meaning(type, (tombolo_op)op)) {
      tombolo_work work;
      FAILS(TOMBOLO_UNSUPPORTED, "no meaning",
            tombolo_all_reduce(comm, send, receive, 1, type, (tombolo_op)op, NULL, &work));
    } else {
      reductions(type, (tombolo_op)op, count);
      prefixes(type, (tombolo_op)op, count);
    }
  }
  even_moves(type, count);
  uneven_moves(type, count, 0);
  uneven_moves(type, count, 5);
  uneven_pairs(type, count);
  messages(type, count);
  group(type, count);
}

int main(int count, char** arguments) {
  int first = count > 2 ? atoi(arguments[1]) : 0;
  int step = count > 2 ? atoi(arguments[2]) : 1;
  static const long counts[] = {1, 0, 900};
  OK(tombolo_comm_init(NULL, &comm));
  OK(tombolo_comm_rank(comm, &rank));
  OK(tombolo_comm_size(comm, &ranks));
  OK(tombolo_allocate(comm, sizeof input, &send));
  OK(tombolo_allocate_registered(comm, sizeof output, &receive));
  REQUIRE(first >= 0 && first < TYPES && step > 0, "no type %d, or no step %d", first, step);
  for (int type = first; type < TYPES; type += step) {
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
      by_type((tombolo_type)type, counts[i]);
    }
  }
  tombolo_work work;
  OK(tombolo_barrier(comm, NULL, &work));
  finish(work);
  OK(tombolo_free(comm, send));
  OK(tombolo_comm_destroy(comm));
  (void)printf("conformance: %ld calls on rank %d\n", made, rank);
  return 0;
}
