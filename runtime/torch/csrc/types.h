// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tombolo.h>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

namespace tombolo {

// Elements as the library sees them: complex numbers are pairs, types it does not know are bytes.
struct ElementType {
  tombolo_type type;
  int64_t perElement; // of `type`, in one element of the tensor
};

// For operations that move elements: any type will do.
ElementType typeToMove(at::ScalarType type);

// For operations that combine them; throws if `op` has no meaning for the type.
ElementType typeToReduce(at::ScalarType type, const c10d::ReduceOp& op);

// The operator, and the factor of PREMUL_SUM (else 1).
struct Operator {
  tombolo_op op;
  double factor;
};
Operator operatorOf(const c10d::ReduceOp& op);

} // namespace tombolo
