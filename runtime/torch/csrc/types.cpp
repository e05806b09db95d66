// SPDX-License-Identifier: Apache-2.0
#include "types.h"

#include "versions.h"

#include <ATen/core/Formatting.h>
#include <c10/core/ScalarType.h>

namespace tombolo {

namespace {

std::optional<ElementType> numbers(at::ScalarType type) {
  switch (type) {
    case at::kChar: return ElementType{TOMBOLO_I8, 1};
    case at::kByte: return ElementType{TOMBOLO_U8, 1};
    case at::kShort: return ElementType{TOMBOLO_I16, 1};
    case at::kUInt16: return ElementType{TOMBOLO_U16, 1};
    case at::kInt: return ElementType{TOMBOLO_I32, 1};
    case at::kUInt32: return ElementType{TOMBOLO_U32, 1};
    case at::kLong: return ElementType{TOMBOLO_I64, 1};
    case at::kUInt64: return ElementType{TOMBOLO_U64, 1};
    case at::kHalf: return ElementType{TOMBOLO_F16, 1};
    case at::kBFloat16: return ElementType{TOMBOLO_BF16, 1};
    case at::kFloat: return ElementType{TOMBOLO_F32, 1};
    case at::kDouble: return ElementType{TOMBOLO_F64, 1};
    case at::kBool: return ElementType{TOMBOLO_BOOL, 1};
    case at::kFloat8_e4m3fn: return ElementType{TOMBOLO_F8E4M3, 1};
    case at::kFloat8_e5m2: return ElementType{TOMBOLO_F8E5M2, 1};
    case at::kComplexHalf: return ElementType{TOMBOLO_F16, 2};
    case at::kComplexFloat: return ElementType{TOMBOLO_F32, 2};
    case at::kComplexDouble: return ElementType{TOMBOLO_F64, 2};
    default: return std::nullopt; // torch's types, not ours: quantized, fnuz and other exotic ones
  }
}

bool isAdditive(const c10d::ReduceOp& op) {
  return op == c10d::ReduceOp::SUM || op == c10d::ReduceOp::AVG || op == c10d::ReduceOp::PREMUL_SUM;
}

// The library's factor is a double, which many integers beyond 2^53 are not.
double factorOf(const at::Tensor& tensor) {
  const auto number = tensor.item();
  const double factor = number.toDouble();
  const bool isExact = // a cast from 2^63 on is undefined
      !number.isIntegral(false) || (factor < 0x1p63 && static_cast<int64_t>(factor) == number.toLong());
  TORCH_CHECK_VALUE(isExact, "the factor of PREMUL_SUM may be an integer that is a double, not ", number);
  return factor;
}

} // namespace

ElementType typeToMove(at::ScalarType type) {
  return numbers(type).value_or(ElementType{TOMBOLO_U8, static_cast<int64_t>(c10::elementSize(type))});
}

ElementType typeToReduce(at::ScalarType type, const c10d::ReduceOp& op) {
  auto element = numbers(type);
  TORCH_CHECK_TYPE(element, "tombolo moves elements of ", type, ", but does not combine them; convert them first");
  TORCH_CHECK_TYPE(
      element->perElement == 1 || isAdditive(op),
      "complex numbers have SUM, AVG and PREMUL_SUM; all else has no meaning for ",
      type);
  return *element;
}

Operator operatorOf(const c10d::ReduceOp& op) {
  switch (op.op_) {
    case c10d::ReduceOp::SUM: return {TOMBOLO_SUM, 1};
    case c10d::ReduceOp::AVG: return {TOMBOLO_AVG, 1};
    case c10d::ReduceOp::PRODUCT: return {TOMBOLO_PROD, 1};
    case c10d::ReduceOp::MIN: return {TOMBOLO_MIN, 1};
    case c10d::ReduceOp::MAX: return {TOMBOLO_MAX, 1};
    case c10d::ReduceOp::BAND: return {TOMBOLO_BAND, 1};
    case c10d::ReduceOp::BOR: return {TOMBOLO_BOR, 1};
    case c10d::ReduceOp::BXOR: return {TOMBOLO_BXOR, 1};
    case c10d::ReduceOp::PREMUL_SUM: {
      auto* supplement = dynamic_cast<PreMulSumSupplement*>(op.supplement_.get());
      TORCH_CHECK_VALUE(supplement, "PREMUL_SUM needs a factor: torch.distributed._make_nccl_premul_sum(factor)");
      return {
          TOMBOLO_PREMUL_SUM,
          supplement->tensor_factor.defined() ? factorOf(supplement->tensor_factor) : supplement->double_factor};
    }
    case c10d::ReduceOp::UNUSED: break;
  }
  TORCH_CHECK_VALUE(false, "there is no reduce operator ", static_cast<int>(op.op_));
}

} // namespace tombolo
