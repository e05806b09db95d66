// SPDX-License-Identifier: Apache-2.0
/*
 * The entry points of XCCL, C++ functions under their mangled names: the communicator comes first, the id goes by pointer,
 * the rank before the size. There is no version, no error in words and no query of asynchronous errors.
 */
#include "../shared/ccl_queue.h"
#include "emu_numbers.h"
#include "witness_kunlunxin.h"

_Static_assert(XCCL_UNIQUE_ID_BYTES == ENGINE_ID_BYTES, "the engine's id is the vendor's");

/* xccl_get_unique_id */
API int _Z18xccl_get_unique_idP12XCCLUniqueId(unsigned char* id) { return emu_number_of(engine_unique_id(id)); }

/* xccl_init_rank */
API int _Z14xccl_init_rankPPviiPK12XCCLUniqueId(struct engine_comm** comm, int rank, int size, const unsigned char* id) {
  return emu_number_of(engine_join(comm, id, rank, size));
}

/* xccl_destroy_context */
API int _Z20xccl_destroy_contextPv(struct engine_comm* comm) {
  engine_destroy(comm);
  return xcclSuccess;
}

/* xccl_all_reduce */
API int _Z15xccl_all_reducePvPKvS_m12XCCLDataType6XCCLOpS_(struct engine_comm* comm, const void* send, void* receive,
                                                          size_t count, int type, int op, void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, stream);
}

/* xccl_reduce_scatter */
API int _Z19xccl_reduce_scatterPvPKvS_m12XCCLDataType6XCCLOpS_(struct engine_comm* comm, const void* send, void* receive,
                                                              size_t count, int type, int op, void* stream) {
  struct engine_call call = {.what = ENGINE_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, stream);
}

/* xccl_broadcast */
API int _Z14xccl_broadcastPvPKvS_m12XCCLDataTypeiS_(struct engine_comm* comm, const void* send, void* receive, size_t count,
                                                   int type, int root, void* stream) {
  struct engine_call call = {.what = ENGINE_BROADCAST, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, xcclSum, stream);
}

/* xccl_all_gather */
API int _Z15xccl_all_gatherPvPKvmS_12XCCLDataTypeS_(struct engine_comm* comm, const void* send, size_t count, void* receive,
                                                   int type, void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_GATHER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, xcclSum, stream);
}

/* xccl_send */
API int _Z9xccl_sendPvPKvmi12XCCLDataTypeS_(struct engine_comm* comm, const void* send, size_t count, int peer, int type,
                                           void* stream) {
  struct engine_call call = {.what = ENGINE_SEND, .send = send, .count = count, .root = peer};
  return emu_queue_call(comm, call, type, xcclSum, stream);
}

/* xccl_recv */
API int _Z9xccl_recvPvS_mi12XCCLDataTypeS_(struct engine_comm* comm, void* receive, size_t count, int peer, int type,
                                          void* stream) {
  struct engine_call call = {.what = ENGINE_RECEIVE, .receive = receive, .count = count, .root = peer};
  return emu_queue_call(comm, call, type, xcclSum, stream);
}

/* xccl_group_start */
API int _Z16xccl_group_startv(void) {
  emu_group_start();
  return xcclSuccess;
}

/* xccl_group_end */
API int _Z14xccl_group_endv(void) { return emu_number_of(emu_group_end()); }
