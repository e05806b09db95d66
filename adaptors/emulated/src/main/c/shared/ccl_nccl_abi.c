// SPDX-License-Identifier: Apache-2.0
/* The entry points of NCCL's ABI, which RCCL shares but for one name. */
#include "engine.h"

#define CCL(suffix) nccl##suffix

typedef struct {
  char internal[ENGINE_ID_BYTES];
} unique_id;

#include "ccl_nccl_like.h"
