// SPDX-License-Identifier: Apache-2.0
/*
 * Sends and receives. A message goes in chunks through the pair of its two members; a send is over when its last chunk
 * was taken out: nothing is sent ahead of its receive, so calls that would deadlock with the vendor deadlock here.
 */
#include <string.h>

#include "engine_internal.h"

enum { MAX_TRANSFERS = 1024 };

struct transfer {
  const struct engine_call* call;
  struct engine_pair* pair;
  size_t bytes;
  size_t moved;
  bool over;
};

static bool is_sending(const struct transfer* transfer) { return transfer->call->what == ENGINE_SEND; }

static struct transfer transfer_of(const struct engine_comm* comm, const struct engine_call* call) {
  int from = call->what == ENGINE_SEND ? comm->rank : call->root;
  int to = call->what == ENGINE_SEND ? call->root : comm->rank;
  return (struct transfer){
      .call = call,
      .pair = &comm->pairs[(size_t)from * (size_t)comm->size + (size_t)to],
      .bytes = call->count * engine_type_bytes(call->type),
      .over = call->count == 0, /* as with the vendor, an empty message meets nobody */
  };
}

static size_t next_chunk(const struct transfer* transfer) {
  size_t left = transfer->bytes - transfer->moved;
  return left < ENGINE_CHUNK_BYTES ? left : ENGINE_CHUNK_BYTES;
}

/* Puts the next chunk in if there is room; whether anything changed. */
static bool put(struct transfer* transfer) {
  struct engine_pair* pair = transfer->pair;
  if (atomic_load(&pair->emptied) != atomic_load(&pair->filled)) {
    return false;
  }
  if (transfer->moved == transfer->bytes) {
    transfer->over = true;
    return true;
  }
  size_t bytes = next_chunk(transfer);
  memcpy(pair->chunk, (const unsigned char*)transfer->call->send + transfer->moved, bytes);
  pair->message_bytes = transfer->bytes;
  pair->message_type = transfer->call->type;
  transfer->moved += bytes;
  atomic_fetch_add(&pair->filled, 1);
  return true;
}

/* Takes the next chunk out if there is one; whether anything changed. */
static bool take(struct transfer* transfer, enum engine_result* result) {
  struct engine_pair* pair = transfer->pair;
  if (atomic_load(&pair->filled) == atomic_load(&pair->emptied)) {
    return false;
  }
  if (pair->message_bytes != transfer->bytes || pair->message_type != transfer->call->type) {
    *result = engine_error(ENGINE_USAGE, "rank %d sends %llu bytes of type %llu, and %zu of type %d are expected",
                            transfer->call->root, (unsigned long long)pair->message_bytes,
                            (unsigned long long)pair->message_type, transfer->bytes, transfer->call->type);
    return true;
  }
  size_t bytes = next_chunk(transfer);
  memcpy((unsigned char*)transfer->call->receive + transfer->moved, pair->chunk, bytes);
  transfer->moved += bytes;
  transfer->over = transfer->moved == transfer->bytes;
  atomic_fetch_add(&pair->emptied, 1);
  return true;
}

/* Messages between two members go in order: whether an earlier one on the same way is still under way. */
static bool must_wait(const struct transfer* transfers, int index) {
  for (int earlier = 0; earlier < index; earlier++) {
    if (!transfers[earlier].over && transfers[earlier].pair == transfers[index].pair &&
        transfers[earlier].call->what == transfers[index].call->what) {
      return true;
    }
  }
  return false;
}

/* One look at everything; *left is what is not over, and the value whether anything changed. */
static bool go_forward(struct engine_comm* comm, struct transfer* transfers, int count, int* left, enum engine_result* result) {
  bool moved = false;
  *left = 0;
  for (int i = 0; i < count && *result == ENGINE_OK; i++) {
    struct transfer* transfer = &transfers[i];
    if (!transfer->over && !must_wait(transfers, i)) {
      if (is_sending(transfer) ? put(transfer) : take(transfer, result)) {
        moved = true;
        engine_ring(comm, transfer->call->root);
      }
    }
    *left += !transfer->over;
  }
  return moved;
}

enum engine_result engine_transfers(struct engine_comm* comm, const struct engine_call* calls, int count) {
  if (count > MAX_TRANSFERS) {
    return engine_error(ENGINE_USAGE, "%d sends and receives in one group, more than %d", count, MAX_TRANSFERS);
  }
  struct transfer transfers[MAX_TRANSFERS];
  for (int i = 0; i < count; i++) {
    transfers[i] = transfer_of(comm, &calls[i]);
  }
  enum engine_result result = ENGINE_OK;
  for (;;) {
    uint32_t seen = engine_bell(comm);
    int left;
    bool moved = go_forward(comm, transfers, count, &left, &result);
    if (result != ENGINE_OK || left == 0) {
      return result;
    }
    if (atomic_load(&comm->aborted)) {
      return engine_error(ENGINE_REMOTE, "rank %d gave up waiting for %d sends and receives: aborted", comm->rank, left);
    }
    if (!moved) {
      engine_listen(comm, seen);
    }
  }
}
