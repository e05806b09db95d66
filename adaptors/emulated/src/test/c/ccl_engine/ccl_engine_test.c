// SPDX-License-Identifier: Apache-2.0
/* The collective engine with threads as members: results, in-place forms, order, abort, disagreement, narrow floats. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../../../src/main/c/shared/engine_internal.h"
#include "../../../main/c/shared/ccl_narrow.h"
#include "emu_numbers.h"
#include "emu_settings.h"

enum { MAX_RANKS = 4 };

static void check(bool holds, const char* what, long detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s (%ld); last error: %s\n", what, detail, engine_last_error());
    exit(1);
  }
}

struct part {
  const unsigned char* id;
  int rank;
  int size;
  void (*play)(struct engine_comm* comm, int rank, int size);
};

static void* member(void* argument) {
  struct part* part = argument;
  struct engine_comm* comm;
  check(engine_join(&comm, part->id, part->rank, part->size) == ENGINE_OK, "join", part->rank);
  part->play(comm, part->rank, part->size);
  return NULL;
}

static void with_members(int size, void (*play)(struct engine_comm* comm, int rank, int size)) {
  unsigned char id[ENGINE_ID_BYTES];
  check(engine_unique_id(id) == ENGINE_OK, "unique id", 0);
  pthread_t threads[MAX_RANKS];
  struct part parts[MAX_RANKS];
  for (int rank = 0; rank < size; rank++) {
    parts[rank] = (struct part){id, rank, size, play};
    check(pthread_create(&threads[rank], NULL, member, &parts[rank]) == 0, "thread", rank);
  }
  for (int rank = 0; rank < size; rank++) {
    check(pthread_join(threads[rank], NULL) == 0, "end of thread", rank);
  }
}

static enum engine_result run(struct engine_comm* comm, struct engine_call call) {
  engine_lock(comm);
  struct engine_ticket ticket = engine_ticket(comm);
  engine_unlock(comm);
  return engine_run(comm, ticket, &call, 1);
}

static enum engine_result run_together(struct engine_comm* comm, const struct engine_call* calls, int count) {
  engine_lock(comm);
  struct engine_ticket ticket = engine_ticket(comm);
  engine_unlock(comm);
  return engine_run(comm, ticket, calls, count);
}

/* Counts around the slot's edges: the engine must cut and never overrun. */
static void sums(struct engine_comm* comm, int rank, int size) {
  const size_t counts[] = {0, 1, 3, 1000, ENGINE_PIECE_BYTES / 4, ENGINE_PIECE_BYTES / 4 + 1, ENGINE_PIECE_BYTES};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    size_t count = counts[c];
    int32_t* values = malloc((count * (size_t)size + 1) * sizeof *values);
    int32_t* shard = malloc((count + 1) * sizeof *shard);
    check(values != NULL && shard != NULL, "memory", (long)count);
    for (size_t i = 0; i < count * (size_t)size; i++) {
      values[i] = (int32_t)i * (rank + 1);
    }
    struct engine_call scatter = {ENGINE_REDUCE_SCATTER, values, shard, count, ENGINE_I32, ENGINE_SUM, 0};
    check(run(comm, scatter) == ENGINE_OK, "reduce_scatter", (long)count);
    struct engine_call gather = {ENGINE_ALL_GATHER, shard, values, count, ENGINE_I32, ENGINE_SUM, 0};
    check(run(comm, gather) == ENGINE_OK, "all_gather", (long)count);
    int32_t factor = size * (size + 1) / 2;
    for (size_t i = 0; i < count * (size_t)size; i++) {
      check(values[i] == (int32_t)i * factor, "sum", (long)i);
    }
    for (size_t i = 0; i < count; i++) {
      values[i] = (int32_t)i + rank;
    }
    struct engine_call all = {ENGINE_ALL_REDUCE, values, values, count, ENGINE_I32, ENGINE_MAX, 0};
    check(run(comm, all) == ENGINE_OK, "all_reduce in place", (long)count);
    for (size_t i = 0; i < count; i++) {
      check(values[i] == (int32_t)i + size - 1, "maximum", (long)i);
    }
    free(values);
    free(shard);
  }
  engine_destroy(comm);
}

static void roots(struct engine_comm* comm, int rank, int size) {
  for (int root = 0; root < size; root++) {
    double value = rank + 1;
    double result = -1;
    check(run(comm, (struct engine_call){ENGINE_REDUCE, &value, &result, 1, ENGINE_F64, ENGINE_PROD, root}) == ENGINE_OK, "reduce", root);
    double product = 1;
    for (int i = 1; i <= size; i++) {
      product *= i;
    }
    check(result == (rank == root ? product : -1), "product at the root only", root);
    check(run(comm, (struct engine_call){ENGINE_BROADCAST, &value, &result, 1, ENGINE_F64, ENGINE_SUM, root}) == ENGINE_OK, "broadcast", root);
    check(result == root + 1, "the root's value", root);
  }
  engine_destroy(comm);
}

/* Everyone sends to everyone, itself included, two messages each; counts around the chunk's edges. */
static void transfers(struct engine_comm* comm, int rank, int size) {
  const size_t counts[] = {0, 1, ENGINE_CHUNK_BYTES, ENGINE_CHUNK_BYTES + 1, 3 * ENGINE_CHUNK_BYTES - 1};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    size_t count = counts[c];
    uint8_t* out = malloc(2 * count + 1);
    uint8_t* in = malloc(2 * count * (size_t)size + 1);
    check(out != NULL && in != NULL, "memory", (long)count);
    for (size_t i = 0; i < 2 * count; i++) {
      out[i] = (uint8_t)(i * 7 + (size_t)rank);
    }
    struct engine_call calls[4 * MAX_RANKS];
    int made = 0;
    for (int peer = size - 1; peer >= 0; peer--) {
      for (size_t half = 0; half < 2; half++) {
        calls[made++] = (struct engine_call){.what = ENGINE_SEND, .send = out + half * count, .count = count, .type = ENGINE_U8, .root = peer};
        uint8_t* place = in + (2 * (size_t)peer + half) * count;
        calls[made++] = (struct engine_call){.what = ENGINE_RECEIVE, .receive = place, .count = count, .type = ENGINE_U8, .root = peer};
      }
    }
    check(run_together(comm, calls, made) == ENGINE_OK, "sends and receives", (long)count);
    for (size_t peer = 0; peer < (size_t)size; peer++) {
      for (size_t i = 0; i < 2 * count; i++) {
        check(in[2 * count * peer + i] == (uint8_t)(i * 7 + peer), "what the peer sent", (long)i);
      }
    }
    free(out);
    free(in);
  }
  engine_destroy(comm);
}

/* Blocks change places; gather and scatter undo each other. */
static void blocks(struct engine_comm* comm, int rank, int size) {
  const size_t counts[] = {0, 1, 5, ENGINE_PIECE_BYTES / 4 / (size_t)size + 1, ENGINE_PIECE_BYTES / 4 + 3};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    size_t count = counts[c];
    int32_t* out = malloc((count * (size_t)size + 1) * sizeof *out);
    int32_t* in = malloc((count * (size_t)size + 1) * sizeof *in);
    check(out != NULL && in != NULL, "memory", (long)count);
    for (size_t i = 0; i < count * (size_t)size; i++) {
      out[i] = (int32_t)i + rank * 100000000;
    }
    struct engine_call all = {.what = ENGINE_ALL_TO_ALL, .send = out, .receive = in, .count = count, .type = ENGINE_I32};
    check(run(comm, all) == ENGINE_OK, "all_to_all", (long)count);
    for (size_t i = 0; i < count * (size_t)size; i++) {
      int32_t from = (int32_t)(i / count);
      check(in[i] == (int32_t)((size_t)rank * count + i % count) + from * 100000000, "block", (long)i);
    }
    int root = (int)c % size;
    struct engine_call scatter = {.what = ENGINE_SCATTER, .send = out, .receive = in, .count = count, .type = ENGINE_I32, .root = root};
    check(run(comm, scatter) == ENGINE_OK, "scatter", (long)count);
    for (size_t i = 0; i < count; i++) {
      check(in[i] == (int32_t)((size_t)rank * count + i) + root * 100000000, "scattered", (long)i);
      in[i] += 1;
    }
    struct engine_call gather = {.what = ENGINE_GATHER, .send = in, .receive = out, .count = count, .type = ENGINE_I32, .root = root};
    check(run(comm, gather) == ENGINE_OK, "gather", (long)count);
    for (size_t i = 0; i < count * (size_t)size; i++) {
      check(out[i] == (int32_t)i + rank * 100000000 + (rank == root), "gathered at the root only", (long)i);
    }
    free(out);
    free(in);
  }
  engine_destroy(comm);
}

static void* abort_soon(void* comm) {
  (void)usleep(50000); /* fixed time: a member in a call cannot say so */
  engine_abort(comm);
  return NULL;
}

/* Rank 0 waits for a call that rank 1 never makes, and aborts; rank 1 hears of it. */
static void aborts(struct engine_comm* comm, int rank, int size) {
  float value = 1;
  struct engine_call call = {ENGINE_ALL_REDUCE, &value, &value, 1, ENGINE_F32, ENGINE_SUM, 0};
  if (rank == 0) {
    pthread_t aborter;
    check(pthread_create(&aborter, NULL, abort_soon, comm) == 0, "thread", size);
    check(run(comm, call) == ENGINE_REMOTE, "the stuck call ends with an error", rank);
    check(pthread_join(aborter, NULL) == 0, "end of thread", 0);
    return;
  }
  for (int i = 0; i < 5000 && engine_async_error(comm) == ENGINE_OK; i++) {
    (void)usleep(1000);
  }
  check(engine_async_error(comm) == ENGINE_REMOTE, "others learn of the abort", rank);
  engine_destroy(comm);
}

/* Both send first, and nothing is sent ahead of its receive: they wait until one aborts. */
static void send_first(struct engine_comm* comm, int rank, int size) {
  uint8_t value = 1;
  struct engine_call send = {.what = ENGINE_SEND, .send = &value, .count = 1, .type = ENGINE_U8, .root = 1 - rank};
  pthread_t aborter;
  check(pthread_create(&aborter, NULL, abort_soon, comm) == 0, "thread", size);
  check(run(comm, send) == ENGINE_REMOTE, "two sends without a receive wait for ever", rank);
  check(pthread_join(aborter, NULL) == 0, "end of thread", 0);
}

/* The receiver notices a message of another size; the sender's stays without an answer. */
static void misfit(struct engine_comm* comm, int rank, int size) {
  uint8_t values[2] = {1, 2};
  if (rank == 1) {
    struct engine_call receive = {.what = ENGINE_RECEIVE, .receive = values, .count = 2, .type = ENGINE_U8};
    check(run(comm, receive) == ENGINE_USAGE, "a message of another size", size);
    engine_destroy(comm);
    return;
  }
  struct engine_call send = {.what = ENGINE_SEND, .send = values, .count = 1, .type = ENGINE_U8, .root = 1};
  pthread_t aborter;
  check(pthread_create(&aborter, NULL, abort_soon, comm) == 0, "thread", size);
  check(run(comm, send) == ENGINE_REMOTE, "never taken", rank);
  check(pthread_join(aborter, NULL) == 0, "end of thread", 0);
}

static void unequal(struct engine_comm* comm, int rank, int size) {
  uint8_t values[4] = {0};
  struct engine_call calls[] = {{.what = ENGINE_SEND, .send = values, .count = 1, .type = ENGINE_U8, .root = rank},
                             {.what = ENGINE_RECEIVE, .receive = values + 2, .count = 2, .type = ENGINE_U8, .root = rank}};
  check(run_together(comm, calls, 2) == ENGINE_USAGE, "a group of unequal counts", size);
  engine_destroy(comm);
}

static void quirks_are_for_those_named(void) {
  const char* name = "TOMBOLO_EMU_EQUAL_COUNTS_ONLY";
  check(!emu_quirk(name, "emu-intel"), "unset", 0);
  check(setenv(name, "emu-amd,emu-intel", 1) == 0 && emu_quirk(name, "emu-intel") && emu_quirk(name, "emu-amd"), "both", 0);
  check(!emu_quirk(name, "emu-int") && !emu_quirk(name, "emu-nvidia"), "others", 0);
  with_members(1, unequal);
  check(setenv(name, "1", 1) == 0 && emu_quirk(name, "emu-nvidia"), "everyone", 0);
  check(unsetenv(name) == 0, "unsetenv", 0);
}

static void settings_are_for_those_named(void) {
  const char* name = "TOMBOLO_EMU_SLOW_US";
  check(emu_setting_of(name, "emu-amd", 7) == 7, "unset", 0);
  check(setenv(name, "150", 1) == 0 && emu_setting_of(name, "emu-amd", 7) == 150, "everyone", 0);
  check(setenv(name, "emu-amd:150,emu-intel:20", 1) == 0, "setenv", 0);
  check(emu_setting_of(name, "emu-amd", 7) == 150 && emu_setting_of(name, "emu-intel", 7) == 20, "both", 0);
  check(emu_setting_of(name, "emu-int", 7) == 7 && emu_setting_of(name, "emu-nvidia", 7) == 7, "others", 0);
  check(unsetenv(name) == 0, "unsetenv", 0);
}

static void disagree(struct engine_comm* comm, int rank, int size) {
  (void)size;
  float value = 1;
  struct engine_call call = {ENGINE_ALL_REDUCE, &value, &value, 1, ENGINE_F32, rank == 0 ? ENGINE_SUM : ENGINE_MAX, 0};
  check(run(comm, call) == ENGINE_USAGE, "a disagreement is an error", rank);
  check(engine_async_error(comm) == ENGINE_USAGE, "and stays one", rank);
  engine_destroy(comm);
}

/* Every finite pattern survives the way to f32 and back; the neighbours' midpoint goes to the even one. */
static void narrow_floats(enum engine_type type, uint32_t patterns) {
  for (uint32_t bits = 0; bits < patterns; bits++) {
    float wide = emu_widen(bits, type);
    check(isnan(wide) || emu_narrow(wide, type) == bits, "there and back", (long)bits);
    uint32_t next = bits + 1;
    bool same_sign = next < patterns / 2 || (bits >= patterns / 2 && next < patterns);
    if (same_sign && isfinite(wide) && isfinite(emu_widen(next, type))) {
      float middle = (float)(((double)wide + emu_widen(next, type)) / 2);
      check(emu_narrow(middle, type) == (bits & 1 ? next : bits), "ties go to even", (long)bits);
    }
  }
  check(isnan(emu_widen(emu_narrow(NAN, type), type)), "NaN stays NaN", type);
}

static void strangers_are_refused(void) {
  unsigned char id[ENGINE_ID_BYTES] = {0};
  struct engine_comm* comm;
  check(engine_join(&comm, id, 0, 2) == ENGINE_ARGUMENT, "bytes that are no id", 0);
  check(engine_unique_id(id) == ENGINE_OK, "unique id", 0);
  check(engine_join(&comm, id, 2, 2) == ENGINE_ARGUMENT, "rank 2 of 2", 0);
  check(setenv("TOMBOLO_EMU_INIT_TIMEOUT_MS", "50", 1) == 0, "setenv", 0);
  check(engine_join(&comm, id, 0, 2) == ENGINE_REMOTE, "rank 1 never comes", 0);
  check(engine_join(&comm, id, 1, 2) == ENGINE_REMOTE, "rank 0 never comes", 0);
  check(unsetenv("TOMBOLO_EMU_INIT_TIMEOUT_MS") == 0, "unsetenv", 0);
}

int main(void) {
  for (int size = 1; size <= MAX_RANKS; size++) {
    with_members(size, sums);
    with_members(size, roots);
    with_members(size, transfers);
    with_members(size, blocks);
  }
  with_members(2, aborts);
  with_members(2, disagree);
  with_members(2, send_first);
  with_members(2, misfit);
  quirks_are_for_those_named();
  settings_are_for_those_named();
  strangers_are_refused();
  narrow_floats(ENGINE_F16, 1u << 16);
  narrow_floats(ENGINE_BF16, 1u << 16);
  narrow_floats(ENGINE_F8E5M2, 1u << 8);
  narrow_floats(ENGINE_F8E4M3, 1u << 8);
  return 0;
}
