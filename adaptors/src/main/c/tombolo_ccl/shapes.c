// SPDX-License-Identifier: Apache-2.0
/* The shapes by the codes of io.tombolo.adaptors.ccl.CallShape. */
#include "shapes.h"

const struct ccl_shape* ccl_shape(int code) {
  static const struct ccl_shape* const shapes[] = {
      &ccl_nccl_shape, &ccl_oneccl_shape, &ccl_gaudi_shape, &ccl_ascend_shape, &ccl_cncl_shape, &ccl_xccl_shape,
  };
  return code >= 0 && (size_t)code < sizeof shapes / sizeof *shapes ? shapes[code] : NULL;
}
