// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <chrono>
#include <exception>

namespace tombolo {

namespace {

// How long a get may take whose key was removed since it was seen: torch's waits for it to come again.
constexpr std::chrono::seconds kRemovedTime{5};

// The store below all prefixes.
c10d::Store* root(const c10::intrusive_ptr<c10d::Store>& store) {
  auto prefixed = c10::dynamic_intrusive_pointer_cast<c10d::PrefixStore>(store);
  return prefixed ? prefixed->getUnderlyingNonPrefixStore().get() : store.get();
}

std::vector<uint8_t> bytesOf(const void* data, uint64_t length) {
  const auto* first = static_cast<const uint8_t*>(data);
  return {first, first + length};
}

void give(tombolo_bytes* to, const std::vector<uint8_t>& value) {
  tombolo_bytes_set(to, value.data(), value.size());
}

// No exception may pass into the library's C.
template <typename Body>
int guarded(Body&& body) {
  try {
    return body();
  } catch (const std::exception& e) {
    return tombolo_store_error(e.what());
  }
}

} // namespace

StoreBridge::StoreBridge(const c10::intrusive_ptr<c10d::Store>& store) : store_(store->clone()) {
  if (root(store_) != root(store)) { // a store in memory has no clones, and keeps its owner's timeout
    store_->setTimeout(kRemovedTime);
  }
}

c10::intrusive_ptr<c10d::Store> StoreBridge::of(void* context) {
  auto& bridge = *static_cast<StoreBridge*>(context);
  std::lock_guard<std::mutex> lock(bridge.mutex_);
  TORCH_CHECK(bridge.store_, "the group that used this store has been left");
  return bridge.store_;
}

tombolo_store StoreBridge::callbacks(const c10::intrusive_ptr<c10d::Store>& store) {
  tombolo_store callbacks{};
  callbacks.size = sizeof(callbacks);
  callbacks.context = new StoreBridge(store);
  callbacks.where = "torch's store";
  callbacks.set = set;
  callbacks.get = get;
  callbacks.wait = nullptr; // torch's wait warns whenever its time is over: the library polls get
  callbacks.add = add;
  callbacks.compare_set = compareSet;
  callbacks.remove = remove;
  callbacks.released = released;
  return callbacks;
}

int StoreBridge::set(void* context, const char* key, const void* value, uint64_t length) {
  return guarded([&] {
    of(context)->set(key, bytesOf(value, length));
    return static_cast<int>(TOMBOLO_STORE_OK);
  });
}

int StoreBridge::get(void* context, const char* key, tombolo_bytes* value) {
  return guarded([&] {
    auto store = of(context);
    if (!store->check({key})) { // torch's get would block
      return static_cast<int>(TOMBOLO_STORE_MISSING);
    }
    try {
      give(value, store->get(key));
    } catch (const c10::DistError&) {
      if (store->check({key})) {
        throw;
      }
      return static_cast<int>(TOMBOLO_STORE_MISSING); // removed since
    }
    return static_cast<int>(TOMBOLO_STORE_OK);
  });
}

int StoreBridge::add(void* context, const char* key, int64_t delta, int64_t* sum) {
  return guarded([&] {
    *sum = of(context)->add(key, delta);
    return static_cast<int>(TOMBOLO_STORE_OK);
  });
}

int StoreBridge::compareSet(
    void* context,
    const char* key,
    const void* expected,
    uint64_t expectedLength,
    const void* desired,
    uint64_t desiredLength,
    tombolo_bytes* value) {
  return guarded([&] {
    give(
        value,
        of(context)->compareSet(key, bytesOf(expected, expectedLength), bytesOf(desired, desiredLength)));
    return static_cast<int>(TOMBOLO_STORE_OK);
  });
}

int StoreBridge::remove(void* context, const char* key, int* existed) {
  return guarded([&] {
    *existed = of(context)->deleteKey(key) ? 1 : 0;
    return static_cast<int>(TOMBOLO_STORE_OK);
  });
}

void StoreBridge::released(void* context) {
  auto& bridge = *static_cast<StoreBridge*>(context);
  std::lock_guard<std::mutex> lock(bridge.mutex_);
  bridge.store_.reset();
}

c10::intrusive_ptr<c10d::Store> withoutDevicePrefix(const c10::intrusive_ptr<c10d::Store>& store) {
  auto prefixed = c10::dynamic_intrusive_pointer_cast<c10d::PrefixStore>(store);
  return prefixed ? prefixed->getUnderlyingStore() : store;
}

} // namespace tombolo
