// SPDX-License-Identifier: Apache-2.0
/*
 * How an emulated library's calls get onto the emulated streams. Calls return once they are queued. Inside a group they are
 * only noted, and queued by the outermost end.
 */
#include "ccl_queue.h"

#include <stdlib.h>

#include "ccl_alive.h"
#include "emu_device.h"
#include "emu_numbers.h"

enum { GROUP_CALLS = 1024 };

/* A call with the communicator and stream it was made for. */
struct noted {
  struct engine_comm* comm;
  void* stream;
  struct engine_call call;
};

/* What is queued on a stream: one collective, or the sends and receives of a group. */
struct queued {
  struct engine_comm* comm;
  struct engine_ticket ticket;
  int count;
  struct engine_call calls[];
};

static _Thread_local int group_depth;
static _Thread_local int group_size;
static _Thread_local struct noted group[GROUP_CALLS];

static void run_queued(void* argument) {
  struct queued* queued = argument;
  (void)engine_run(queued->comm, queued->ticket, queued->calls, queued->count); /* kept for the query of asynchronous errors */
  free(queued);
}

static struct queued* new_queued(struct engine_comm* comm, int most) {
  struct queued* queued = malloc(sizeof *queued + (size_t)most * sizeof *queued->calls);
  if (queued != NULL) {
    queued->comm = comm;
    queued->count = 0;
  }
  return queued;
}

static bool is_transfer(const struct noted* noted) { return noted->call.what >= ENGINE_SEND; }

static int enqueue(struct queued* queued, void* stream) {
  struct engine_comm* comm = queued->comm;
  engine_lock(comm);
  struct engine_ticket ticket = engine_ticket(comm);
  queued->ticket = ticket;
  int refused = emu_stream_enqueue(stream, run_queued, queued);
  if (refused != 0) {
    engine_return_ticket(comm, ticket);
  }
  engine_unlock(comm);
  return refused;
}

/* Queues it, or frees it and says why not. */
static enum engine_result launch(struct queued* queued, void* stream) {
  if (queued == NULL) {
    return engine_error(ENGINE_SYSTEM, "no memory for a call");
  }
  int refused = emu_stream_await_frees();
  refused = refused != 0 ? refused : enqueue(queued, stream);
  if (refused != 0) {
    free(queued);
    return engine_error(ENGINE_DEVICE, "the stream takes no work: errno %d", refused);
  }
  return ENGINE_OK;
}

static enum engine_result connect(const struct noted* noted) {
  if (!is_transfer(noted)) {
    return emu_connect(noted->comm, &noted->call);
  }
  emu_approach_peer(noted->comm, &noted->call);
  return emu_meet_peer(noted->comm, &noted->call);
}

static enum engine_result launch_alone(const struct noted* noted) {
  enum engine_result connected = connect(noted);
  if (connected == ENGINE_OK) {
    connected = emu_block(noted->comm, noted->call.count);
  }
  if (connected != ENGINE_OK) {
    return connected;
  }
  struct queued* queued = new_queued(noted->comm, 1);
  if (queued != NULL) {
    queued->calls[queued->count++] = noted->call;
  }
  return launch(queued, noted->stream);
}

/* Launches together all sends and receives of the group that are of one communicator with `first`. */
static enum engine_result launch_transfers(const struct noted* first) {
  struct queued* queued = new_queued(first->comm, GROUP_CALLS);
  enum engine_result connected = ENGINE_OK;
  for (struct noted* noted = group; queued != NULL && noted < group + group_size; noted++) {
    if (!is_transfer(noted) || noted->comm != first->comm) {
      continue;
    }
    if (noted->stream != first->stream) {
      free(queued);
      return engine_error(ENGINE_USAGE, "this emulation wants a group's sends and receives on one stream");
    }
    connected = connected == ENGINE_OK ? emu_meet_peer(noted->comm, &noted->call) : connected;
    queued->calls[queued->count++] = noted->call;
  }
  if (connected != ENGINE_OK) {
    free(queued);
    return connected;
  }
  return launch(queued, first->stream);
}

/* Whether no call of the group before the `nth` is of its communicator. */
static bool is_first_of_comm(int nth) {
  for (int i = 0; i < nth; i++) {
    if (group[i].comm == group[nth].comm) {
      return false;
    }
  }
  return true;
}

static void leave_first(int count) {
  for (int i = 0; i < count; i++) {
    if (is_first_of_comm(i)) {
      emu_comm_leave(group[i].comm, EMU_COLLECTIVE);
    }
  }
}

static enum engine_result enter_all(void) {
  for (int i = 0; i < group_size; i++) {
    if (is_first_of_comm(i) && !emu_comm_enter(group[i].comm, EMU_COLLECTIVE)) {
      leave_first(i);
      return engine_error(ENGINE_ARGUMENT, "a communicator of the group was freed");
    }
  }
  return ENGINE_OK;
}

/* Collectives in their order, and then the sends and receives of each communicator. */
static enum engine_result launch_all(void) {
  enum engine_result result = ENGINE_OK;
  for (int i = 0; i < group_size; i++) {
    if (is_transfer(&group[i])) {
      emu_approach_peer(group[i].comm, &group[i].call);
    }
  }
  for (int i = 0; result == ENGINE_OK && i < group_size; i++) {
    result = is_transfer(&group[i]) ? ENGINE_OK : launch_alone(&group[i]);
  }
  for (int i = 0; result == ENGINE_OK && i < group_size; i++) {
    bool launched = !is_transfer(&group[i]);
    for (int earlier = 0; earlier < i && !launched; earlier++) {
      launched = is_transfer(&group[earlier]) && group[earlier].comm == group[i].comm;
    }
    result = launched ? ENGINE_OK : launch_transfers(&group[i]);
  }
  return result;
}

/* A group holds on to its communicators until its end: an abort lets out first what waits for others in it. */
static enum engine_result launch_group(void) {
  enum engine_result result = enter_all();
  if (result == ENGINE_OK) {
    result = launch_all();
    leave_first(group_size);
  }
  group_size = 0;
  return result;
}

/* Checks the address and replaces it by the host's; a vector of no elements may be anywhere. */
static bool resolve(const void** address, size_t count, enum engine_type type) {
  *address = count == 0 ? NULL : emu_alias(*address, count * engine_type_bytes(type));
  return count == 0 || *address != NULL;
}

static enum engine_result checked(struct noted* noted) {
  struct engine_comm* comm = noted->comm;
  struct engine_call* call = &noted->call;
  int rank = engine_rank(comm);
  int size = engine_size(comm);
  if (call->root < 0 || call->root >= size) {
    return engine_error(ENGINE_ARGUMENT, "root or peer %d of %d ranks", call->root, size);
  }
  if (call->what == ENGINE_ALL_TO_ALL && call->send == call->receive && call->count > 0) {
    return engine_error(ENGINE_ARGUMENT, "an all-to-all is not in place");
  }
  const void* receive = call->receive;
  if (!resolve(&call->send, engine_send_count(call, rank, size), call->type) ||
      !resolve(&receive, engine_receive_count(call, rank, size), call->type)) {
    return engine_error(ENGINE_ARGUMENT, "rank %d: an address is not device memory of this process", rank);
  }
  call->receive = (void*)receive;
  return ENGINE_OK;
}

static enum engine_result queue(struct noted* noted) {
  enum engine_result result = checked(noted);
  if (result != ENGINE_OK || group_depth == 0) {
    return result == ENGINE_OK ? launch_alone(noted) : result;
  }
  if (group_size == GROUP_CALLS) {
    return engine_error(ENGINE_USAGE, "more than %d calls in a group", GROUP_CALLS);
  }
  group[group_size++] = *noted;
  return ENGINE_OK;
}

int emu_queue_call(struct engine_comm* comm, struct engine_call call, int type, int op, void* stream) {
  if (comm == NULL || !emu_type_of(type, &call.type) || !emu_op_of(op, &call.op)) {
    return emu_number_of(engine_error(ENGINE_ARGUMENT, "communicator %p, type %d, operator %d", (void*)comm, type, op));
  }
  if (!emu_comm_enter(comm, EMU_COLLECTIVE)) {
    return emu_number_of(engine_error(ENGINE_ARGUMENT, "the communicator was freed"));
  }
  struct noted noted = {.comm = comm, .stream = stream, .call = call};
  enum engine_result result = queue(&noted);
  emu_comm_leave(comm, EMU_COLLECTIVE);
  return emu_number_of(result);
}

void emu_group_start(void) { group_depth++; }

bool emu_in_group(void) { return group_depth > 0; }

enum engine_result emu_group_end(void) {
  if (group_depth == 0) {
    return engine_error(ENGINE_USAGE, "no group is open");
  }
  return --group_depth > 0 ? ENGINE_OK : launch_group();
}
