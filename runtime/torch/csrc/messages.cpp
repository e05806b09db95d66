// SPDX-License-Identifier: Apache-2.0
// send and recv. Messages of one tag from one rank to another match in the order of the calls.
#include "backend.h"

namespace tombolo {

using c10d::OpType;
using c10d::Work;

c10::intrusive_ptr<Work> TomboloBackend::send(std::vector<at::Tensor>& tensors, int peer, int tag) {
  auto memory = buffers();
  auto block = memory.in(single(tensors, "send"));
  auto type = typeToMove(block.scalar_type());
  return message(
      {OpType::SEND, "tombolo:send", c10d::kUnsetTimeout, true, tensors, tensors},
      std::move(memory),
      -1,
      [&](auto* how, auto* work) {
        return tombolo_send(
            comm(),
            block.data_ptr(),
            static_cast<uint64_t>(block.numel() * type.perElement),
            type.type,
            peer,
            tag,
            how,
            work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::recv(std::vector<at::Tensor>& tensors, int peer, int tag) {
  return receive("tombolo:recv", tensors, peer, tag);
}

c10::intrusive_ptr<Work> TomboloBackend::recvAnysource(std::vector<at::Tensor>& tensors, int tag) {
  return receive("tombolo:recvAnySource", tensors, TOMBOLO_ANY_RANK, tag);
}

c10::intrusive_ptr<Work> TomboloBackend::receive(
    const char* title,
    std::vector<at::Tensor>& tensors,
    int peer,
    int tag) {
  auto memory = buffers();
  auto block = memory.out(single(tensors, "recv"));
  auto type = typeToMove(block.scalar_type());
  return message(
      {OpType::RECV, title, c10d::kUnsetTimeout, true, tensors, tensors},
      std::move(memory),
      peer,
      [&](auto* how, auto* work) {
        return tombolo_receive(
            comm(),
            block.data_ptr(),
            static_cast<uint64_t>(block.numel() * type.perElement),
            type.type,
            peer,
            tag,
            how,
            work);
      });
}

} // namespace tombolo
