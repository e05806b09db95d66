// SPDX-License-Identifier: Apache-2.0
// send and recv. Messages of one tag from one rank to another match in the order of the calls.
#include "backend.h"

#include <string>

namespace tombolo {

using c10d::OpType;
using c10d::Work;

c10::intrusive_ptr<Work> TomboloBackend::send(
    const char* title,
    std::vector<at::Tensor>& tensors,
    Pending& pending,
    const MessageCall& call) {
  auto memory = buffers();
  auto block = memory.in(single(tensors, "send"));
  auto type = typeToMove(block.scalar_type());
  return message(
      {OpType::SEND, title, c10d::kUnsetTimeout, true, tensors, tensors},
      std::move(memory),
      -1,
      pending,
      [&](auto* how, auto* work) {
        auto count = static_cast<uint64_t>(block.numel() * type.perElement);
        return call(block.data_ptr(), count, type.type, how, work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::receive(
    const char* title,
    std::vector<at::Tensor>& tensors,
    int source,
    Pending& pending,
    const MessageCall& call) {
  auto memory = buffers();
  auto block = memory.out(single(tensors, "recv"));
  auto type = typeToMove(block.scalar_type());
  return message(
      {OpType::RECV, title, c10d::kUnsetTimeout, true, tensors, tensors},
      std::move(memory),
      source,
      pending,
      [&](auto* how, auto* work) {
        auto count = static_cast<uint64_t>(block.numel() * type.perElement);
        return call(block.data_ptr(), count, type.type, how, work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::send(std::vector<at::Tensor>& tensors, int peer, int tag) {
  const auto title = "tombolo:send " + std::to_string(rank_) + "->" + std::to_string(peer); // as NCCL's
  return send(
      title.c_str(), tensors, *pending_, [&](void* block, uint64_t count, tombolo_type type, auto* how, auto* work) {
        return tombolo_send(comm(), block, count, type, peer, tag, how, work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::recv(std::vector<at::Tensor>& tensors, int peer, int tag) {
  const auto title = "tombolo:recv " + std::to_string(rank_) + "<-" + std::to_string(peer);
  return receiveFrom(peer, title.c_str(), tensors, tag);
}

c10::intrusive_ptr<Work> TomboloBackend::recvAnysource(std::vector<at::Tensor>& tensors, int tag) {
  return receiveFrom(TOMBOLO_ANY_RANK, "tombolo:recvAnySource", tensors, tag);
}

c10::intrusive_ptr<Work> TomboloBackend::receiveFrom(
    int peer,
    const char* title,
    std::vector<at::Tensor>& tensors,
    int tag) {
  return receive(
      title, tensors, peer, *pending_, [&](void* block, uint64_t count, tombolo_type type, auto* how, auto* work) {
        return tombolo_receive(comm(), block, count, type, peer, tag, how, work);
      });
}

} // namespace tombolo
