/*
 * The collectives, all in one pattern: cut the elements into pieces that fit a slot; for each piece everyone puts its
 * contribution into its slot, exchanges, and takes what it needs out of everybody's. Contributions are staged before
 * results are written, which is what makes the in-place forms right.
 */
#include <string.h>

#include "ccl_internal.h"

/* One piece of a call: `count` elements from element `offset` of the vector, or of every shard. */
struct piece {
  const struct emu_call* call;
  size_t element_bytes;
  size_t capacity; /* elements from one shard to the next within a slot */
  size_t offset;
  size_t count;
};

/* Whether what a member sends is cut into one shard for each member. */
static bool sends_shards(const struct emu_call* call) {
  return call->what == EMU_REDUCE_SCATTER || call->what == EMU_ALL_TO_ALL || call->what == EMU_SCATTER;
}

size_t emu_send_count(const struct emu_call* call, int rank, int size) {
  bool silent = call->what == EMU_RECEIVE ||
                ((call->what == EMU_BROADCAST || call->what == EMU_SCATTER) && rank != call->root);
  return silent ? 0 : sends_shards(call) ? call->count * (size_t)size : call->count;
}

size_t emu_receive_count(const struct emu_call* call, int rank, int size) {
  bool deaf = call->what == EMU_SEND || ((call->what == EMU_REDUCE || call->what == EMU_GATHER) && rank != call->root);
  bool gathers = call->what == EMU_ALL_GATHER || call->what == EMU_ALL_TO_ALL || call->what == EMU_GATHER;
  return deaf ? 0 : gathers ? call->count * (size_t)size : call->count;
}

/* The part of shard `shard` of `vector` that the piece covers. */
static unsigned char* part(const struct piece* piece, const void* vector, int shard) {
  size_t element = (size_t)shard * piece->call->count + piece->offset;
  return (unsigned char*)vector + element * piece->element_bytes;
}

static void contribute(struct emu_comm* comm, const struct piece* piece) {
  const struct emu_call* call = piece->call;
  size_t bytes = piece->count * piece->element_bytes;
  unsigned char* outbox = emu_outbox(comm);
  if (emu_send_count(call, comm->rank, comm->size) == 0) {
    return;
  }
  for (int shard = 0; shard < (sends_shards(call) ? comm->size : 1); shard++) {
    memcpy(outbox + (size_t)shard * piece->capacity * piece->element_bytes, part(piece, call->send, shard), bytes);
  }
}

/* Copies what everyone put at byte `at` of its slot to its place in the result. */
static void gather_into(struct emu_comm* comm, const struct piece* piece, size_t at) {
  for (int rank = 0; rank < comm->size; rank++) {
    memcpy(part(piece, piece->call->receive, rank), emu_inbox(comm, rank) + at, piece->count * piece->element_bytes);
  }
}

/* Combines what everyone put at byte `at` of its slot, in rank order. */
static void reduce_into(struct emu_comm* comm, const struct piece* piece, void* result, size_t at) {
  const struct emu_call* call = piece->call;
  memcpy(result, emu_inbox(comm, 0) + at, piece->count * piece->element_bytes);
  for (int rank = 1; rank < comm->size; rank++) {
    emu_combine(result, emu_inbox(comm, rank) + at, piece->count, call->type, call->op);
  }
  if (call->op == EMU_AVG) {
    emu_divide(result, piece->count, call->type, comm->size);
  }
}

static void consume(struct emu_comm* comm, const struct piece* piece) {
  const struct emu_call* call = piece->call;
  size_t bytes = piece->count * piece->element_bytes;
  size_t mine = (size_t)comm->rank * piece->capacity * piece->element_bytes; /* where my shard lies in others' slots */
  if (emu_receive_count(call, comm->rank, comm->size) == 0) {
    return;
  }
  switch (call->what) {
    case EMU_REDUCE:
    case EMU_ALL_REDUCE: reduce_into(comm, piece, part(piece, call->receive, 0), 0); break;
    case EMU_REDUCE_SCATTER: reduce_into(comm, piece, part(piece, call->receive, 0), mine); break;
    case EMU_BROADCAST: memcpy(part(piece, call->receive, 0), emu_inbox(comm, call->root), bytes); break;
    case EMU_SCATTER: memcpy(part(piece, call->receive, 0), emu_inbox(comm, call->root) + mine, bytes); break;
    case EMU_ALL_TO_ALL: gather_into(comm, piece, mine); break;
    default: gather_into(comm, piece, 0); break;
  }
}

/* What all members must agree on. The step itself is part of it through the slot it is stored for. */
static uint64_t meaning_of(const struct piece* piece) {
  const struct emu_call* call = piece->call;
  uint64_t parts[] = {(uint64_t)call->what, (uint64_t)call->type, (uint64_t)call->op,
                      (uint64_t)call->root, call->count,          piece->offset};
  uint64_t hash = 1469598103934665603u; /* FNV-1a, over words */
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    hash = (hash ^ parts[i]) * 1099511628211u;
  }
  return hash;
}

enum emu_result emu_collective(struct emu_comm* comm, const struct emu_call* call) {
  struct piece piece = {.call = call, .element_bytes = emu_type_bytes(call->type)};
  size_t shards = sends_shards(call) ? (size_t)comm->size : 1;
  piece.capacity = EMU_SLOT_BYTES / piece.element_bytes / shards;
  for (; piece.offset < call->count; piece.offset += piece.count) {
    size_t left = call->count - piece.offset;
    piece.count = left < piece.capacity ? left : piece.capacity;
    contribute(comm, &piece);
    enum emu_result result = emu_exchange(comm, meaning_of(&piece), 0);
    if (result != EMU_OK) {
      return result;
    }
    consume(comm, &piece);
  }
  return EMU_OK;
}
