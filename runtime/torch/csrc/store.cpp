// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <exception>
#include <string>

namespace tombolo {

namespace {

// What nobody stores: to replace it by itself changes nothing, and tells what there is.
const std::string kNoValue = "tombolo: no value";

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

StoreBridge::StoreBridge(const c10::intrusive_ptr<c10d::Store>& store) : store_(store->clone()) {}

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

// torch's get would wait for a missing key, and another rank may remove one between a check and a get.
int StoreBridge::get(void* context, const char* key, tombolo_bytes* value) {
  return guarded([&] {
    const auto none = bytesOf(kNoValue.data(), kNoValue.size());
    const auto found = of(context)->compareSet(key, none, none);
    if (found == none) {
      return static_cast<int>(TOMBOLO_STORE_MISSING);
    }
    give(value, found);
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
