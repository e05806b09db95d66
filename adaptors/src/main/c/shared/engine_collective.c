// SPDX-License-Identifier: Apache-2.0
/*
 * The collectives, all in one pattern: cut the elements into pieces that fit a slot; for each piece everyone puts its
 * contribution into its slot, exchanges, and takes what it needs out of everybody's. Contributions are staged before
 * results are written, which is what makes the in-place forms right. Only the block that a member gathers of itself comes
 * straight from where it is sent: in place it is there already, and else nothing is written there.
 */
#include <string.h>

#include "engine_internal.h"

/* One piece of a call: `count` elements from element `offset` of the vector, or of every shard. */
struct piece {
  const struct engine_call* call;
  size_t element_bytes;
  size_t capacity; /* elements from one shard to the next within a slot */
  size_t offset;
  size_t count;
  size_t bytes; /* of a member's contribution, if it makes one */
  bool offered; /* this member's contribution is what was there when it was offered */
};

/* Whether what a member sends is cut into one shard for each member. */
static bool sends_shards(const struct engine_call* call) {
  return call->what == ENGINE_REDUCE_SCATTER || call->what == ENGINE_ALL_TO_ALL || call->what == ENGINE_SCATTER;
}

size_t engine_send_count(const struct engine_call* call, int rank, int size) {
  bool silent = call->what == ENGINE_RECEIVE ||
                ((call->what == ENGINE_BROADCAST || call->what == ENGINE_SCATTER) && rank != call->root);
  return silent ? 0 : sends_shards(call) ? call->count * (size_t)size : call->count;
}

size_t engine_receive_count(const struct engine_call* call, int rank, int size) {
  bool deaf = call->what == ENGINE_SEND || ((call->what == ENGINE_REDUCE || call->what == ENGINE_GATHER) && rank != call->root);
  bool gathers = call->what == ENGINE_ALL_GATHER || call->what == ENGINE_ALL_TO_ALL || call->what == ENGINE_GATHER;
  return deaf ? 0 : gathers ? call->count * (size_t)size : call->count;
}

/* The part of shard `shard` of `vector` that the piece covers. */
static unsigned char* part(const struct piece* piece, const void* vector, int shard) {
  size_t element = (size_t)shard * piece->call->count + piece->offset;
  return (unsigned char*)vector + element * piece->element_bytes;
}

/* Whether a shard is what a member of an all-to-all sends to itself, which needs no slot. */
static bool stays(const struct engine_comm* comm, const struct engine_call* call, int shard) {
  return call->what == ENGINE_ALL_TO_ALL && shard == comm->rank;
}

/* Byte of everyone's slot where this member's shard is. */
static size_t my_place(const struct engine_comm* comm, const struct piece* piece) {
  return (size_t)comm->rank * piece->capacity * piece->element_bytes;
}

static void contribute(struct engine_comm* comm, const struct piece* piece) {
  const struct engine_call* call = piece->call;
  size_t bytes = piece->count * piece->element_bytes;
  unsigned char* outbox = engine_outbox(comm, piece->bytes);
  if (engine_send_count(call, comm->rank, comm->size) == 0) {
    return;
  }
  for (int shard = 0; shard < (sends_shards(call) ? comm->size : 1); shard++) {
    if (!stays(comm, call, shard)) {
      memcpy(outbox + (size_t)shard * piece->capacity * piece->element_bytes, part(piece, call->send, shard), bytes);
    }
  }
}

/* Whether this member's result is a block of each member. */
static bool gathers(const struct engine_comm* comm, const struct engine_call* call) {
  return call->what == ENGINE_ALL_GATHER || call->what == ENGINE_ALL_TO_ALL ||
         (call->what == ENGINE_GATHER && call->root == comm->rank);
}

/* Contributes and publishes, unless the piece is the one that this member began with ahead. */
static enum engine_result publish(struct engine_comm* comm, struct piece* piece) {
  uint64_t meaning = engine_meaning(piece->call, piece->offset);
  piece->offered = comm->offered;
  if (piece->offered) {
    comm->offered = false;
    return meaning == comm->offered_meaning
               ? ENGINE_OK
               : engine_error(ENGINE_USAGE, "rank %d makes another call than the one it has offered", comm->rank);
  }
  contribute(comm, piece);
  engine_publish(comm, meaning);
  return ENGINE_OK;
}

/* Where the block is that this member gathers of `rank`. */
static const unsigned char* block_of(const struct engine_comm* comm, const struct piece* piece, int rank) {
  const struct engine_call* call = piece->call;
  if (stays(comm, call, rank)) {
    return part(piece, call->send, rank);
  }
  if (rank == comm->rank && !piece->offered) {
    return part(piece, call->send, 0);
  }
  return engine_inbox(comm, rank, piece->bytes) + (call->what == ENGINE_ALL_TO_ALL ? my_place(comm, piece) : 0);
}

/*
 * Copies a block of each to its place in the result; in the order in which they come, as whoever waits for one who waits
 * for a processor has none either.
 */
static enum engine_result gather_as_they_come(struct engine_comm* comm, const struct piece* piece) {
  const struct engine_call* call = piece->call;
  uint64_t meaning = engine_meaning(call, piece->offset);
  for (uint64_t left = engine_everyone(comm); left != 0;) {
    int rank;
    enum engine_result result = engine_meet_next(comm, meaning, &left, &rank);
    if (result != ENGINE_OK) {
      return result;
    }
    unsigned char* to = part(piece, call->receive, rank);
    const unsigned char* from = block_of(comm, piece, rank);
    if (to != from) {
      memcpy(to, from, piece->count * piece->element_bytes);
    }
  }
  return ENGINE_OK;
}

/* Combines what everyone put at byte `at` of its slot, in rank order. */
static void reduce_into(struct engine_comm* comm, const struct piece* piece, void* result, size_t at) {
  const struct engine_call* call = piece->call;
  const void* sum = engine_inbox(comm, 0, piece->bytes) + at;
  for (int rank = 1; rank < comm->size; rank++) {
    engine_combine(result, sum, engine_inbox(comm, rank, piece->bytes) + at, piece->count, call->type, call->op);
    sum = result;
  }
  if (comm->size == 1) {
    memcpy(result, sum, piece->count * piece->element_bytes);
  }
  if (call->op == ENGINE_AVG) {
    engine_divide(result, piece->count, call->type, comm->size);
  }
}

static void consume(struct engine_comm* comm, const struct piece* piece) {
  const struct engine_call* call = piece->call;
  size_t bytes = piece->count * piece->element_bytes;
  unsigned char* result = part(piece, call->receive, 0);
  if (engine_receive_count(call, comm->rank, comm->size) == 0) {
    return;
  }
  switch (call->what) {
    case ENGINE_REDUCE_SCATTER: reduce_into(comm, piece, result, my_place(comm, piece)); break;
    case ENGINE_BROADCAST: memcpy(result, engine_inbox(comm, call->root, piece->bytes), bytes); break;
    case ENGINE_SCATTER: memcpy(result, engine_inbox(comm, call->root, piece->bytes) + my_place(comm, piece), bytes); break;
    default: reduce_into(comm, piece, result, 0); break;
  }
}

static enum engine_result meet_and_consume(struct engine_comm* comm, const struct piece* piece) {
  enum engine_result result = engine_meet_all(comm, engine_meaning(piece->call, piece->offset), 0);
  if (result == ENGINE_OK) {
    consume(comm, piece);
  }
  return result;
}

/* The step itself is part of it through the slot it is stored for. */
uint64_t engine_meaning(const struct engine_call* call, size_t offset) {
  uint64_t parts[] = {(uint64_t)call->what, (uint64_t)call->type, (uint64_t)call->op,
                      (uint64_t)call->root, call->count,          offset};
  uint64_t hash = 1469598103934665603u; /* FNV-1a, over words */
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    hash = (hash ^ parts[i]) * 1099511628211u;
  }
  return hash;
}

/* Of a slot, in one piece. In an all-to-all each reads little of each slot, so what counts is how often all meet. */
static size_t slot_bytes(const struct engine_call* call) {
  return call->what == ENGINE_ALL_TO_ALL ? ENGINE_SLOT_BYTES : ENGINE_PIECE_BYTES;
}

/* The first piece of a call that has elements. */
static struct piece first_piece(const struct engine_comm* comm, const struct engine_call* call) {
  struct piece piece = {.call = call, .element_bytes = engine_type_bytes(call->type)};
  size_t shards = sends_shards(call) ? (size_t)comm->size : 1;
  bool is_note = call->count * piece.element_bytes * shards <= ENGINE_NOTE_BYTES;
  piece.bytes = is_note ? ENGINE_NOTE_BYTES : slot_bytes(call);
  piece.capacity = piece.bytes / piece.element_bytes / shards;
  piece.count = call->count < piece.capacity ? call->count : piece.capacity;
  return piece;
}

/* Turns the piece into the one behind it, which may have no elements. */
static void go_on(struct piece* piece) {
  piece->offset += piece->count;
  size_t left = piece->call->count - piece->offset;
  piece->count = left < piece->capacity ? left : piece->capacity;
}

enum engine_result engine_collective(struct engine_comm* comm, const struct engine_call* call) {
  enum engine_result result = ENGINE_OK;
  for (struct piece piece = first_piece(comm, call); result == ENGINE_OK && piece.count > 0; go_on(&piece)) {
    result = publish(comm, &piece);
    if (result == ENGINE_OK) {
      result = gathers(comm, call) ? gather_as_they_come(comm, &piece) : meet_and_consume(comm, &piece);
    }
  }
  return result;
}

void engine_begin_collective(struct engine_comm* comm, const struct engine_call* call) {
  struct piece piece = first_piece(comm, call);
  if (piece.count > 0 && !comm->offered && publish(comm, &piece) == ENGINE_OK) {
    comm->offered = true;
    comm->offered_meaning = engine_meaning(call, piece.offset);
  }
}

size_t engine_type_bytes(enum engine_type type) {
  switch (type) {
    case ENGINE_I64:
    case ENGINE_U64:
    case ENGINE_F64: return 8;
    case ENGINE_I32:
    case ENGINE_U32:
    case ENGINE_F32: return 4;
    case ENGINE_I16:
    case ENGINE_U16:
    case ENGINE_F16:
    case ENGINE_BF16: return 2;
    default: return 1;
  }
}
