// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tombolo.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <mutex>

namespace tombolo {

// A torch store as the library's callbacks, over a connection of its own. One of a thread that is still in
// a callback when the group is left finds no store, rather than no bridge: a bridge is some bytes that are never freed.
class StoreBridge {
 public:
  explicit StoreBridge(const c10::intrusive_ptr<c10d::Store>& store);

  // The callbacks over a new bridge, which the library gives back through `released`.
  static tombolo_store callbacks(const c10::intrusive_ptr<c10d::Store>& store);

 private:
  static int set(void* context, const char* key, const void* value, uint64_t length);
  static int get(void* context, const char* key, tombolo_bytes* value);
  static int add(void* context, const char* key, int64_t delta, int64_t* sum);
  static int compareSet(
      void* context,
      const char* key,
      const void* expected,
      uint64_t expectedLength,
      const void* desired,
      uint64_t desiredLength,
      tombolo_bytes* value);
  static int remove(void* context, const char* key, int* existed);
  static void released(void* context);

  // The store, or an exception after `released`.
  static c10::intrusive_ptr<c10d::Store> of(void* context);

  std::mutex mutex_;
  c10::intrusive_ptr<c10d::Store> store_;
};

// The store without the prefix of a device ("cpu/", "cuda/"), which torch puts on top: ranks whose devices differ would
// never meet below it.
c10::intrusive_ptr<c10d::Store> withoutDevicePrefix(const c10::intrusive_ptr<c10d::Store>& store);

} // namespace tombolo
