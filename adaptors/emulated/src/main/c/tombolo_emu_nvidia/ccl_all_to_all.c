/* NCCL's spelling of the all-to-all. */
#include "../shared/ccl_nccl_abi.h"
#include "emu_numbers.h"

API int ncclAlltoAll(const void* send, void* receive, size_t count, int type, struct emu_comm* comm, void* stream) {
  struct emu_call call = {.what = EMU_ALL_TO_ALL, .send = send, .receive = receive, .count = count};
  return emu_nccl_call(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
}
