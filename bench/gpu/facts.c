// SPDX-License-Identifier: Apache-2.0
/* Section facts: what the driver says of itself and of the device. */
#include <stdio.h>
#include <stdlib.h>

#include "sections.h"
#include "world.h"

enum { TEXT = 256 };

/* CU_DEVICE_ATTRIBUTE_ and its number */
static const struct { const char* name; int number; } ATTRIBUTES[] = {
    {"MULTIPROCESSOR_COUNT", 16},
    {"CAN_MAP_HOST_MEMORY", 19},
    {"COMPUTE_MODE", 20},
    {"CONCURRENT_KERNELS", 31},
    {"ASYNC_ENGINE_COUNT", 40},
    {"UNIFIED_ADDRESSING", 41},
    {"COMPUTE_CAPABILITY_MAJOR", 75},
    {"COMPUTE_CAPABILITY_MINOR", 76},
    {"STREAM_PRIORITIES_SUPPORTED", 78},
    {"MANAGED_MEMORY", 83},
    {"HOST_NATIVE_ATOMIC_SUPPORTED", 86},
    {"PAGEABLE_MEMORY_ACCESS", 88},
    {"CONCURRENT_MANAGED_ACCESS", 89},
    {"COMPUTE_PREEMPTION_SUPPORTED", 90},
    {"CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", 91},
    {"CAN_USE_STREAM_MEM_OPS_V1", 92},
    {"CAN_USE_64_BIT_STREAM_MEM_OPS_V1", 93},
    {"CAN_USE_STREAM_WAIT_VALUE_NOR_V1", 94},
    {"CAN_FLUSH_REMOTE_WRITES", 98},
    {"HOST_REGISTER_SUPPORTED", 99},
    {"HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED", 103},
    {"GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED", 110},
    {"READ_ONLY_HOST_REGISTER_SUPPORTED", 113},
    {"MEMORY_POOLS_SUPPORTED", 115},
    {"GPU_DIRECT_RDMA_SUPPORTED", 116},
    {"GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS", 117},
    {"GPU_DIRECT_RDMA_WRITES_ORDERING", 118},
    {"CAN_USE_64_BIT_STREAM_MEM_OPS", 122},
    {"CAN_USE_STREAM_WAIT_VALUE_NOR", 123},
    {"DMA_BUF_SUPPORTED", 124},
};

int facts_count(const char* what) {
  (void)what;
  return 1;
}

static void say_number(const world* w, const char* name, int code, int value) {
  char text[TEXT];
  if (code != 0) {
    say_code(w, "facts", name, code);
  } else {
    (void)snprintf(text, sizeof text, "%d", value);
    say("facts", name, text, "%s", "");
  }
}

/* Every case is all of them: they take no time. */
void facts_run(const char* library, const char* what, span cases) {
  (void)what;
  say_case(cases.from, "facts");
  world w = world_open(library);
  char text[TEXT] = "";
  int value = 0;
  (void)w.cu.cuDeviceGetName(text, sizeof text, w.device);
  say("facts", "device", text, "%s", "");
  say_number(&w, "driver", w.cu.cuDriverGetVersion(&value), value);
  say_number(&w, "least_priority", 0, w.least);
  say_number(&w, "greatest_priority", 0, w.greatest);
  int loading = w.cu.cuModuleGetLoadingMode(&value);
  say_number(&w, "loading_mode", loading, value);
  address same = 0;
  int asked = w.cu.cuMemHostGetDevicePointer_v2(&same, w.pinned, 0);
  say_number(&w, "pinned_at_host_address", asked, same == (address)w.pinned);
  for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++) {
    int code = w.cu.cuDeviceGetAttribute(&value, ATTRIBUTES[i].number, w.device);
    say_number(&w, ATTRIBUTES[i].name, code, value);
  }
  static const char* const VARIABLES[] = {"CUDA_MODULE_LOADING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_LAUNCH_BLOCKING"};
  for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++) {
    const char* set = getenv(VARIABLES[i]);
    say("facts", VARIABLES[i], set != NULL ? set : "unset", "%s", "");
  }
}
