/* Reductions of large vectors, block by block, each block in the cache from its reading to its last writing. */
#include "direct.h"
#include "nontemporal.h"
#include "shards.h"

enum {
  READ_BYTES = 256 * 1024,  /* of a block that is read through the system; in the second-level cache */
  MAPPED_BYTES = 16 * 1024  /* of one that is mapped; in the first-level cache */
};

static _Thread_local _Alignas(64) unsigned char scratch[2][READ_BYTES];

/* Elements of a block. */
static size_t block_of(const struct direct* direct) {
  return (direct->mapped ? MAPPED_BYTES : READ_BYTES) / direct->element_bytes;
}

/* Combines one block, in rank order, into `result`; only the last addition writes there, which may be a source. */
static enum engine_result reduce_block(const struct direct* direct, size_t offset, size_t count, unsigned char* result) {
  const struct engine_comm* comm = direct->comm;
  const struct engine_call* call = direct->call;
  const unsigned char* sum = NULL;
  for (int rank = 0; rank < comm->size; rank++) {
    const unsigned char* operand = direct->send[rank] + offset;
    if (rank != comm->rank && !direct->mapped) {
      unsigned char* place = scratch[rank == 0 ? 0 : 1];
      enum engine_result read = engine_read(comm, rank, place, operand, count * direct->element_bytes);
      if (read != ENGINE_OK) {
        return read;
      }
      operand = place;
    }
    if (rank > 0) {
      unsigned char* to = rank == comm->size - 1 ? result : scratch[0];
      engine_combine(to, sum, operand, count, call->type, call->op);
      operand = to;
    }
    sum = operand;
  }
  if (call->op == ENGINE_AVG) {
    engine_divide(result, count, call->type, comm->size);
  }
  return ENGINE_OK;
}

enum engine_result direct_reduce(const struct direct* direct, size_t first, size_t count, unsigned char* result) {
  size_t most = block_of(direct);
  for (size_t done = 0; done < count; done += most) {
    size_t block = count - done < most ? count - done : most;
    size_t at = (first + done) * direct->element_bytes;
    enum engine_result reduced = reduce_block(direct, at, block, result + done * direct->element_bytes);
    if (reduced != ENGINE_OK) {
      return reduced;
    }
  }
  return ENGINE_OK;
}

enum engine_result direct_all_reduce(const struct direct* direct) {
  int me = direct->comm->rank;
  int size = direct->comm->size;
  size_t end = shard_begin(direct->call->count, size, me + 1);
  size_t most = block_of(direct);
  bool goes_round = nontemporal_pays(direct->call->count * direct->element_bytes);
  enum engine_result result = ENGINE_OK;
  for (size_t first = shard_begin(direct->call->count, size, me); result == ENGINE_OK && first < end; first += most) {
    size_t count = end - first < most ? end - first : most;
    size_t at = first * direct->element_bytes;
    unsigned char* combined = goes_round ? scratch[1] : (unsigned char*)direct->call->receive + at;
    result = reduce_block(direct, at, count, combined);
    if (result == ENGINE_OK) {
      result = direct_spread(direct, at, combined, count * direct->element_bytes);
    }
  }
  return result;
}
