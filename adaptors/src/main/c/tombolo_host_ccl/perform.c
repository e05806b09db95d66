/*
 * The host library's collectives. Small ones go through the slots of the shared segment. In larger ones members read each
 * other's memory in place (process_vm_readv), where the system allows it: everyone publishes its addresses, reads what it
 * needs, and says when it has. What is in windows is read where it is mapped. Each element is combined by one member and read by the others, so all hold the same bits.
 */
#include <string.h>

#include "windows.h"

enum {
  BLOCK_BYTES = 128 * 1024,      /* stays in the second-level cache between reading and combining */
  VERSION = 10000,
  DIRECT_FROM_BYTES = 512 * 1024, /* below this, copying through the slots is not slower */
  MAPPED_FROM_BYTES = 4 * 1024,  /* the same, where nothing has to be copied */
  IN_WINDOWS = 1000,             /* a stage that tells members apart whose buffers are in windows */
  SHARD_ELEMENTS = 64            /* shards begin at multiples of it, so that cache lines have one writer */
};

static _Thread_local _Alignas(64) unsigned char scratch[2][BLOCK_BYTES];

/* A call under way: where everyone's buffers are. */
struct direct {
  struct engine_comm* comm;
  const struct engine_call* call;
  size_t element_bytes;
  const unsigned char* send[ENGINE_MAX_RANKS];
  const unsigned char* receive[ENGINE_MAX_RANKS];
  bool mapped; /* the addresses are of this process: everything is in windows */
};

/* What members tell each other where both their buffers are in windows. */
struct places {
  struct window_place send;
  struct window_place receive;
};

/* Tells everyone the addresses and learns theirs. */
static enum engine_result publish(struct direct* direct) {
  struct engine_comm* comm = direct->comm;
  unsigned index = (comm->step + 1) % ENGINE_SLOTS_PER_RANK;
  struct engine_member* self = &comm->segment->members[comm->rank];
  self->send[index] = direct->call->send;
  self->receive[index] = direct->call->receive;
  enum engine_result result = engine_exchange(comm, engine_meaning(direct->call, 0), 0);
  for (int rank = 0; result == ENGINE_OK && rank < comm->size; rank++) {
    direct->send[rank] = comm->segment->members[rank].send[index];
    direct->receive[rank] = comm->segment->members[rank].receive[index];
  }
  return result;
}

static size_t send_bytes(const struct direct* direct, int rank) {
  return engine_send_count(direct->call, rank, direct->comm->size) * direct->element_bytes;
}

static size_t receive_bytes(const struct direct* direct, int rank) {
  return engine_receive_count(direct->call, rank, direct->comm->size) * direct->element_bytes;
}

/* As publish(), with places in windows for addresses. */
static enum engine_result publish_places(struct direct* direct, const struct places* mine) {
  struct engine_comm* comm = direct->comm;
  memcpy(engine_outbox(comm, sizeof *mine), mine, sizeof *mine);
  enum engine_result result = engine_exchange(comm, engine_meaning(direct->call, IN_WINDOWS), 0);
  for (int rank = 0; result == ENGINE_OK && rank < comm->size; rank++) {
    struct places theirs;
    memcpy(&theirs, engine_inbox(comm, rank, sizeof theirs), sizeof theirs);
    direct->send[rank] = window_at(comm, rank, theirs.send, send_bytes(direct, rank));
    direct->receive[rank] = window_at(comm, rank, theirs.receive, receive_bytes(direct, rank));
    if (direct->send[rank] == NULL || direct->receive[rank] == NULL) {
      result = engine_error(ENGINE_USAGE, "rank %d's buffers are not in its windows", rank);
    }
  }
  return result;
}

/* Where this member's buffers are; whether both are in windows, which must be so at all members or at none. */
static bool find_places(const struct direct* direct, struct places* places) {
  const struct engine_comm* comm = direct->comm;
  const struct engine_call* call = direct->call;
  places->send = window_find(comm, call->send, send_bytes(direct, comm->rank));
  places->receive = window_find(comm, call->receive, receive_bytes(direct, comm->rank));
  return places->send.window != 0 && places->receive.window != 0;
}

/* Waits until everyone is so far; `stage` counts from 1. */
static enum engine_result await_all(const struct direct* direct, size_t stage) {
  return engine_exchange(direct->comm, engine_meaning(direct->call, stage), 0);
}

static enum engine_result copy(const struct direct* direct, int rank, unsigned char* to, const unsigned char* from,
                               size_t bytes) {
  bool there_already = rank == direct->comm->rank && to == from; /* another process's address says nothing */
  if (bytes == 0 || there_already) {
    return ENGINE_OK;
  }
  if (direct->mapped) {
    memcpy(to, from, bytes);
    return ENGINE_OK;
  }
  return engine_read(direct->comm, rank, to, from, bytes);
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

/* Combines `count` elements from element `first` of everyone's vector into `result`. */
static enum engine_result reduce_range(const struct direct* direct, size_t first, size_t count, unsigned char* result) {
  size_t most = BLOCK_BYTES / direct->element_bytes;
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

/* Where shard `rank` of an all-reduce begins. */
static size_t shard_begin(const struct direct* direct, int rank) {
  size_t size = (size_t)direct->comm->size;
  size_t shard = (direct->call->count + size * SHARD_ELEMENTS - 1) / (size * SHARD_ELEMENTS) * SHARD_ELEMENTS;
  size_t begin = shard * (size_t)rank;
  return begin < direct->call->count ? begin : direct->call->count;
}

/* Everyone combines its shard, and then reads the others'. */
static enum engine_result all_reduce(const struct direct* direct) {
  const struct engine_call* call = direct->call;
  int me = direct->comm->rank;
  size_t mine = shard_begin(direct, me);
  unsigned char* receive = call->receive;
  size_t count = shard_begin(direct, me + 1) - mine;
  enum engine_result result = reduce_range(direct, mine, count, receive + mine * direct->element_bytes);
  if (result == ENGINE_OK) {
    result = await_all(direct, 1);
  }
  for (int step = 1; result == ENGINE_OK && step < direct->comm->size; step++) {
    int rank = (me + step) % direct->comm->size; /* not all from the same one at once */
    size_t at = shard_begin(direct, rank) * direct->element_bytes;
    size_t bytes = shard_begin(direct, rank + 1) * direct->element_bytes - at;
    result = copy(direct, rank, receive + at, direct->receive[rank] + at, bytes);
  }
  return result;
}

/* Reads a block of everyone: block `theirs` of what they send, into the block of their rank. */
static enum engine_result read_everyone(const struct direct* direct, size_t theirs) {
  size_t bytes = direct->call->count * direct->element_bytes;
  enum engine_result result = ENGINE_OK;
  for (int step = 0; result == ENGINE_OK && step < direct->comm->size; step++) {
    int rank = (direct->comm->rank + step) % direct->comm->size;
    unsigned char* to = (unsigned char*)direct->call->receive + (size_t)rank * bytes;
    result = copy(direct, rank, to, direct->send[rank] + theirs * bytes, bytes);
  }
  return result;
}

static enum engine_result read_or_reduce(const struct direct* direct) {
  const struct engine_call* call = direct->call;
  size_t me = (size_t)direct->comm->rank;
  size_t bytes = call->count * direct->element_bytes;
  bool is_root = direct->comm->rank == call->root;
  switch (call->what) {
    case ENGINE_ALL_REDUCE: return all_reduce(direct);
    case ENGINE_REDUCE_SCATTER: return reduce_range(direct, me * call->count, call->count, call->receive);
    case ENGINE_REDUCE: return is_root ? reduce_range(direct, 0, call->count, call->receive) : ENGINE_OK;
    case ENGINE_ALL_GATHER: return read_everyone(direct, 0);
    case ENGINE_GATHER: return is_root ? read_everyone(direct, 0) : ENGINE_OK;
    case ENGINE_ALL_TO_ALL: return read_everyone(direct, me);
    case ENGINE_BROADCAST: return copy(direct, call->root, call->receive, direct->send[call->root], bytes);
    default: return copy(direct, call->root, call->receive, direct->send[call->root] + me * bytes, bytes); /* scatter */
  }
}

static bool is_at_least(const struct direct* direct, size_t bytes) {
  return direct->comm->size > 1 && direct->call->count * direct->element_bytes >= bytes;
}

enum engine_result engine_perform(struct engine_comm* comm, const struct engine_call* call) {
  struct direct direct = {.comm = comm, .call = call, .element_bytes = engine_type_bytes(call->type)};
  struct places places;
  direct.mapped = is_at_least(&direct, MAPPED_FROM_BYTES) && comm->extension != NULL && find_places(&direct, &places);
  if (!direct.mapped && !(comm->direct && is_at_least(&direct, DIRECT_FROM_BYTES))) {
    return engine_collective(comm, call);
  }
  enum engine_result result = direct.mapped ? publish_places(&direct, &places) : publish(&direct);
  if (result == ENGINE_OK) {
    result = read_or_reduce(&direct);
  }
  return result == ENGINE_OK ? await_all(&direct, 2) : result; /* until then buffers may be read */
}

enum engine_result engine_version(int* version) {
  *version = VERSION;
  return ENGINE_OK;
}

enum engine_result engine_after_join(struct engine_comm* comm) {
  (void)comm;
  return ENGINE_OK;
}

void engine_before_release(struct engine_comm* comm) { window_end(comm); }
