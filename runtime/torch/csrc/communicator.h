// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tombolo.h>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace tombolo {

// Who this process is in a group, and how the group meets.
struct Membership {
  c10::intrusive_ptr<c10d::Store> store;
  int rank;
  int size;
  std::chrono::milliseconds timeout;
  std::string name; // of the group, for messages
  std::string vendor; // "" leaves it to the library
  int device; // ordinal; -1 leaves it to the library
};

// A communicator of the library, which knows on which of torch's devices its memory lies.
class Communicator {
 public:
  // Joins; blocks until all ranks came.
  explicit Communicator(const Membership& membership);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  tombolo_comm handle() const {
    return handle_;
  }

  bool hasStreams() const {
    return hasStreams_;
  }

  // Where tensors lie that the library can use as they are.
  at::Device device() const {
    return device_;
  }

  std::string text(tombolo_fact fact) const;

  // Leaves; once, and blocks as long as the library does.
  void leave();

 private:
  void findDevice(const std::string& group);

  std::atomic<tombolo_comm> handle_{0}; // of who aborts while another thread leaves
  bool hasStreams_ = false;
  at::Device device_ = at::kCPU;
  std::mutex leaving_;
};

} // namespace tombolo
