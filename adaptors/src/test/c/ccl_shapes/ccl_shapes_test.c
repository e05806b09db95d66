// SPDX-License-Identifier: Apache-2.0
/* Each shape puts every argument where the vendor's prototype has it: stand-ins with those prototypes note what they got. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../main/c/tombolo_ccl/ccl.h"

static void check(bool holds, const char* what) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

enum { NCCL, ONECCL, GAUDI, ASCEND, CNCL, XCCL, COUNT, TYPE = 3, OPERATOR = 2, ROOT = 5, RANK = 6, MEMBERS = 7, DEVICE = 4 };

static char from, to, communicator, stream;
static unsigned char id[MAX_ID_BYTES];
static const struct ccl_call call = {&from, &to, 1234, TYPE, OPERATOR, ROOT, &stream};

static int calls;

static int noted(bool holds, const char* what) {
  check(holds, what);
  calls++;
  return 0;
}

static bool is_this_call(const void* send, const void* receive, uint64_t count, int type, const void* comm, const void* on) {
  return send == &from && receive == &to && count == 1234 && type == TYPE && comm == &communicator && on == &stream;
}

/* Kunlunxin's XCCL. */

static int xccl_init(void** comm, int rank, int size, const void* with) {
  *comm = &communicator;
  return noted(rank == RANK && size == MEMBERS && with == id, "xccl_init_rank");
}

static int xccl_all_reduce(void* comm, const void* send, void* receive, size_t count, int type, int op, void* on) {
  return noted(is_this_call(send, receive, count, type, comm, on) && op == OPERATOR, "xccl_all_reduce");
}

static int xccl_broadcast(void* comm, const void* send, void* receive, size_t count, int type, int root, void* on) {
  return noted(is_this_call(send, receive, count, type, comm, on) && root == ROOT, "xccl_broadcast");
}

static int xccl_all_gather(void* comm, const void* send, size_t count, void* receive, int type, void* on) {
  return noted(is_this_call(send, receive, count, type, comm, on), "xccl_all_gather");
}

static int xccl_send(void* comm, const void* send, size_t count, int peer, int type, void* on) {
  return noted(is_this_call(send, &to, count, type, comm, on) && peer == ROOT, "xccl_send");
}

static int xccl_receive(void* comm, void* receive, size_t count, int peer, int type, void* on) {
  return noted(is_this_call(&from, receive, count, type, comm, on) && peer == ROOT, "xccl_recv");
}

/* Cambricon's CNCL. */

static int cncl_init(void** comms, int count, const int* devices, const int* ranks, int size, const void* with) {
  *comms = &communicator;
  return noted(count == 1 && *devices == DEVICE && *ranks == RANK && size == MEMBERS && with == id, "cnclInitComms");
}

static int cncl_async(const void* comm) { return comm == &communicator ? 0x16 : 0; }

static int cncl_version(int* major, int* minor, int* patch) {
  *major = 1;
  *minor = 25;
  *patch = 3;
  return 0;
}

/* Huawei's HCCL. */

static int hccl_init(uint32_t size, const void* with, uint32_t rank, void** comm) {
  *comm = &communicator;
  return noted(size == MEMBERS && with == id && rank == RANK, "HcclCommInitRootInfo");
}

static int hccl_broadcast(void* buffer, uint64_t count, int type, uint32_t root, void* comm, void* on) {
  return noted(is_this_call(&from, buffer, count, type, comm, on) && root == ROOT, "HcclBroadcast");
}

static int hccl_all_to_all(const void* send, uint64_t send_count, int send_type, const void* receive, uint64_t count, int type,
                           void* comm, void* on) {
  return noted(is_this_call(send, receive, count, type, comm, on) && send_count == count && send_type == type, "HcclAlltoAll");
}

/* Gaudi's HCCL. */

struct gaudi_id {
  uint8_t bytes[1024];
  size_t length;
};

static int gaudi_init(void** comm, int size, struct gaudi_id with, int rank) {
  *comm = &communicator;
  return noted(size == MEMBERS && rank == RANK && memcmp(&with, id, sizeof with) == 0, "hcclCommInitRank");
}

static void joins(int shape, void* init, const char* what) {
  struct ccl_api api = {.shape = ccl_shape(shape)};
  api.entries[COMM_INIT_RANK] = init;
  const struct ccl_member member = {id, RANK, MEMBERS, DEVICE};
  void* joined = NULL;
  check(api.shape->join(&api, &joined, &member) == 0 && joined == &communicator, what);
}

static void makes(int shape, enum entry entry, void* stand_in) {
  check(ccl_shape(shape)->collectives[entry](stand_in, &communicator, &call) == 0, "a collective's result goes back");
}

int main(void) {
  for (size_t i = 0; i < sizeof id; i++) {
    id[i] = (unsigned char)(i * 7);
  }
  joins(XCCL, (void*)xccl_init, "XCCL joins");
  joins(CNCL, (void*)cncl_init, "CNCL joins");
  joins(ASCEND, (void*)hccl_init, "HCCL joins");
  joins(GAUDI, (void*)gaudi_init, "Gaudi's HCCL joins");
  makes(XCCL, ALL_REDUCE, (void*)xccl_all_reduce);
  makes(XCCL, REDUCE_SCATTER, (void*)xccl_all_reduce);
  makes(XCCL, BROADCAST, (void*)xccl_broadcast);
  makes(XCCL, ALL_GATHER, (void*)xccl_all_gather);
  makes(XCCL, SEND, (void*)xccl_send);
  makes(XCCL, RECEIVE, (void*)xccl_receive);
  makes(ASCEND, BROADCAST, (void*)hccl_broadcast);
  makes(ASCEND, ALL_TO_ALL, (void*)hccl_all_to_all);
  check(calls == 12, "every stand-in was called");
  int value = 0;
  check(ccl_shape(CNCL)->async_error((void*)cncl_async, &communicator, &value) == 0 && value == 0x16, "the result is the error");
  check(ccl_shape(CNCL)->version((void*)cncl_version, &value) == 0 && value == 12503, "a version in three parts");
  check(ccl_shape(COUNT) == NULL && ccl_shape(-1) == NULL, "other codes are no shapes");
  return 0;
}
