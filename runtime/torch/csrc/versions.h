// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <torch/version.h>

#include <cstdint>
#include <functional>
#include <optional>

// What a back end may override depends on torch's version; this file alone knows it. An older torch calls none of what is
// new, so there the functions are members as others are.
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 13

namespace tombolo {

using c10d::PreMulSumSupplement;
constexpr auto kReduceScatterTensorCoalesced = c10d::OpType::REDUCE_SCATTER_TENSOR_COALESCED;

} // namespace tombolo

#else

namespace tombolo {

using PreMulSumSupplement = c10d::NCCLPreMulSumSupplement;
constexpr auto kReduceScatterTensorCoalesced = c10d::OpType::COALESCED;

} // namespace tombolo

#endif

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 14

#define TOMBOLO_SINCE_TORCH_2_14 override

namespace tombolo {

constexpr auto kAllgatherIntoTensorCoalesced = c10d::OpType::ALLGATHER_INTO_TENSOR_COALESCED;

} // namespace tombolo

#else

#define TOMBOLO_SINCE_TORCH_2_14

namespace tombolo {

constexpr auto kAllgatherIntoTensorCoalesced = c10d::OpType::COALESCED;

} // namespace tombolo

#endif

// With these hooks torch's flight recorder is told how operations end.
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 15

#include <torch/csrc/distributed/c10d/Hooks.hpp>

#define TOMBOLO_SINCE_TORCH_2_15 override

namespace tombolo {

using c10d::AbortHook;
using c10d::CompletionHook;

} // namespace tombolo

#else

#define TOMBOLO_SINCE_TORCH_2_15

namespace tombolo {

struct CompletionHookArgs {
  uint64_t completionKey = 0;
  std::optional<float> duration_ms;
};
using CompletionHook = std::function<void(const CompletionHookArgs&)>;
using AbortHook = std::function<void()>;

} // namespace tombolo

#endif
