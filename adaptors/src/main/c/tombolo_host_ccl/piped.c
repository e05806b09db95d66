// SPDX-License-Identifier: Apache-2.0
/*
 * Each member combines its shard, piece by piece. A slot has a part for each member: in the others' parts are the pieces that
 * they are to combine next, in the member's own is the piece that it combined a step ago. So in each step everyone gives,
 * takes and combines, in turns of a grain, and whoever waits, waits once a piece. Measured beside reading and writing each
 * other's memory through the system: 0.68 of the time at 64 MiB with 2 members, 0.61 with 4; at 4 MiB, where the caches hold
 * the vectors, 1.2 with 2.
 */
#include "piped.h"

#include <string.h>

#include "nontemporal.h"
#include "shards.h"

struct piped {
  struct engine_comm* comm;
  const struct engine_call* call;
  size_t element_bytes;
  size_t piece; /* elements of a part */
  size_t grain; /* elements */
  bool goes_round; /* results go past the cache */
};

/* Elements of the vector, and where they begin in their part of a slot. */
struct stretch {
  size_t first;
  size_t count;
  size_t done;
};

/* A grain of a piece of member `rank`'s shard, behind `done` elements of it; shorter or empty at the ends. */
static struct stretch grain_of(const struct piped* piped, int rank, size_t piece, size_t done) {
  int size = piped->comm->size;
  size_t piece_begin = shard_begin(piped->call->count, size, rank) + piece * piped->piece;
  size_t shard_end = shard_begin(piped->call->count, size, rank + 1);
  size_t end = piece_begin + piped->piece < shard_end ? piece_begin + piped->piece : shard_end;
  size_t first = piece_begin + done;
  size_t left = first < end ? end - first : 0;
  return (struct stretch){first, left < piped->grain ? left : piped->grain, done};
}

/* Byte of a slot. */
static size_t place_of(const struct piped* piped, int rank, struct stretch grain) {
  return ((size_t)rank * piped->piece + grain.done) * piped->element_bytes;
}

static const unsigned char* sent(const struct piped* piped, struct stretch grain) {
  return (const unsigned char*)piped->call->send + grain.first * piped->element_bytes;
}

static void give(const struct piped* piped, size_t piece, size_t done) {
  unsigned char* outbox = engine_outbox(piped->comm, ENGINE_SLOT_BYTES);
  for (int rank = 0; rank < piped->comm->size; rank++) {
    struct stretch grain = grain_of(piped, rank, piece, done);
    if (rank != piped->comm->rank && grain.count > 0) {
      memcpy(outbox + place_of(piped, rank, grain), sent(piped, grain), grain.count * piped->element_bytes);
    }
  }
}

/* Writes a grain of the result to where the caller wants it. */
static void deliver(const struct piped* piped, struct stretch grain, const unsigned char* from) {
  unsigned char* to = (unsigned char*)piped->call->receive + grain.first * piped->element_bytes;
  if (piped->goes_round) {
    nontemporal_copy(to, from, grain.count * piped->element_bytes);
  } else {
    memcpy(to, from, grain.count * piped->element_bytes);
  }
}

static void take(const struct piped* piped, size_t piece, size_t done) {
  for (int step = 1; step < piped->comm->size; step++) {
    int rank = (piped->comm->rank + step) % piped->comm->size; /* not all from the same one at once */
    struct stretch grain = grain_of(piped, rank, piece, done);
    if (grain.count > 0) {
      deliver(piped, grain, engine_inbox(piped->comm, rank, ENGINE_SLOT_BYTES) + place_of(piped, rank, grain));
    }
  }
}

/* Combines a grain of this member's piece, in rank order, into its next slot, which nobody reads any more. */
static void combine(const struct piped* piped, size_t piece, size_t done) {
  struct engine_comm* comm = piped->comm;
  const struct engine_call* call = piped->call;
  struct stretch grain = grain_of(piped, comm->rank, piece, done);
  if (grain.count == 0) {
    return;
  }
  size_t at = place_of(piped, comm->rank, grain);
  unsigned char* result = engine_outbox(comm, ENGINE_SLOT_BYTES) + at;
  const unsigned char* sum = NULL;
  for (int rank = 0; rank < comm->size; rank++) {
    const unsigned char* operand =
        rank == comm->rank ? sent(piped, grain) : engine_inbox(comm, rank, ENGINE_SLOT_BYTES) + at;
    if (rank > 0) {
      engine_combine(result, sum, operand, grain.count, call->type, call->op);
    }
    sum = rank > 0 ? result : operand;
  }
  if (call->op == ENGINE_AVG) {
    engine_divide(result, grain.count, call->type, comm->size);
  }
  deliver(piped, grain, result);
}

enum engine_result piped_all_reduce(struct engine_comm* comm, const struct engine_call* call) {
  struct piped piped = {.comm = comm, .call = call, .element_bytes = engine_type_bytes(call->type)};
  piped.piece = ENGINE_SLOT_BYTES / piped.element_bytes / (size_t)comm->size / SHARD_ELEMENTS * SHARD_ELEMENTS;
  piped.grain = GRAIN_BYTES / piped.element_bytes;
  piped.goes_round = nontemporal_pays(call->count * piped.element_bytes);
  size_t pieces = (shard_begin(call->count, comm->size, 1) + piped.piece - 1) / piped.piece;
  for (size_t done = 0; done < piped.piece; done += piped.grain) {
    give(&piped, 0, done);
  }
  for (size_t piece = 0; piece <= pieces; piece++) {
    enum engine_result result = engine_exchange(comm, engine_meaning(call, piece * piped.piece), 0);
    if (result != ENGINE_OK) {
      return result;
    }
    for (size_t done = 0; done < piped.piece; done += piped.grain) {
      give(&piped, piece + 1, done);
      if (piece > 0) {
        take(&piped, piece - 1, done);
      }
      combine(&piped, piece, done);
    }
    nontemporal_end();
  }
  return ENGINE_OK;
}
