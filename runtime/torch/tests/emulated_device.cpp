// SPDX-License-Identifier: Apache-2.0
// A device of torch, "emu", on the emulated CUDA driver: its memory, streams and events are that library's, which is
// found among the symbols of the process. Stream 0 is the legacy default stream (handle 0), as torch's is on CUDA. What
// torch computes is computed on the CPU, on copies.
#include <ATen/ATen.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

namespace {

constexpr auto EMU = c10::DeviceType::PrivateUse1;
constexpr unsigned NON_BLOCKING = 1; // CU_STREAM_NON_BLOCKING
constexpr unsigned NO_TIMING = 2; // CU_EVENT_DISABLE_TIMING
constexpr int NOT_READY = 600; // CUDA_ERROR_NOT_READY

// Calls the driver's function of that name.
template <typename... Arguments>
int ask(const char* name, Arguments... arguments) {
  auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(RTLD_DEFAULT, name));
  TORCH_CHECK(function != nullptr, name, " is not in the emulated driver");
  return function(arguments...);
}

template <typename... Arguments>
void call(const char* name, Arguments... arguments) {
  const int status = ask(name, arguments...);
  TORCH_CHECK(status == 0, name, " failed with ", status);
}

int devices() {
  static const int count = [] {
    int found = 0;
    call("cuInit", 0u);
    call("cuDeviceGetCount", &found);
    return found;
  }();
  return count;
}

thread_local c10::DeviceIndex current = -1;

// Makes the context of `device` the thread's.
void enter(c10::DeviceIndex device) {
  static std::vector<void*> contexts = [] {
    std::vector<void*> made(devices());
    for (int each = 0; each < devices(); each++) {
      call("cuDevicePrimaryCtxRetain", &made[each], each);
    }
    return made;
  }();
  call("cuCtxSetCurrent", contexts.at(device));
  current = device;
}

c10::DeviceIndex present() {
  if (current < 0) {
    enter(0);
  }
  return current;
}

struct Streams {
  std::mutex mutex;
  std::deque<void*> handles{nullptr}; // by id

  c10::StreamId make() {
    void* made = nullptr;
    call("cuStreamCreate", &made, NON_BLOCKING);
    std::lock_guard<std::mutex> lock(mutex);
    handles.push_back(made);
    return static_cast<c10::StreamId>(handles.size() - 1);
  }

  void* of(c10::StreamId id) {
    std::lock_guard<std::mutex> lock(mutex);
    return handles.at(id);
  }
} streams;

thread_local std::vector<c10::StreamId> chosen; // by device

c10::Stream streamOf(c10::DeviceIndex device) {
  chosen.resize(devices());
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(EMU, device), chosen.at(device));
}

void* handleOf(const c10::Stream& stream) {
  return streams.of(stream.id());
}

// Waits as a program does that polls: the emulation has no call that blocks.
template <typename Query>
void await(Query query) {
  int status = query();
  while (status == NOT_READY) {
    std::this_thread::yield();
    status = query();
  }
  TORCH_CHECK(status == 0, "waiting for the device failed with ", status);
}

void awaitStream(const c10::Stream& stream) {
  enter(stream.device_index());
  await([&] { return ask("cuStreamQuery", handleOf(stream)); });
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override {
    return EMU;
  }
  c10::Device exchangeDevice(c10::Device device) const override {
    const auto before = getDevice();
    enter(device.index());
    return before;
  }
  c10::Device getDevice() const override {
    return c10::Device(EMU, present());
  }
  void setDevice(c10::Device device) const override {
    enter(device.index());
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    enter(device.index());
  }
  c10::Stream getStream(c10::Device device) const override {
    return streamOf(device.has_index() ? device.index() : present());
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNewStream(device, 0);
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    const auto index = device.has_index() ? device.index() : present();
    enter(index);
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(EMU, index), streams.make());
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const auto before = streamOf(stream.device_index());
    chosen.at(stream.device_index()) = stream.id();
    return before;
  }
  void* getStreamNativeHandle(const c10::Stream stream) const override {
    return handleOf(stream);
  }
  void destroyEvent(void* event, const c10::DeviceIndex device) const noexcept override {
    if (event != nullptr) {
      enter(device);
      ask("cuEventDestroy_v2", event);
    }
  }
  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex, const c10::EventFlag) const override {
    enter(stream.device_index());
    if (*event == nullptr) {
      call("cuEventCreate", event, NO_TIMING);
    }
    call("cuEventRecord", *event, handleOf(stream));
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event != nullptr) {
      enter(stream.device_index());
      call("cuStreamWaitEvent", handleOf(stream), event, 0u);
    }
  }
  bool queryEvent(void* event) const override {
    present();
    return event == nullptr || ask("cuEventQuery", event) == 0;
  }
  void synchronizeEvent(void* event) const override {
    present();
    await([&] { return ask("cuEventQuery", event); });
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return static_cast<c10::DeviceIndex>(devices());
  }
  bool queryStream(const c10::Stream& stream) const override {
    enter(stream.device_index());
    return ask("cuStreamQuery", handleOf(stream)) == 0;
  }
  void synchronizeStream(const c10::Stream& stream) const override {
    awaitStream(stream);
  }
  void synchronizeDevice(const c10::DeviceIndex device) const override {
    awaitStream(streamOf(device));
  }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

// Frees wait for the device, as CUDA's do.
void release(void* memory) {
  ask("cuMemFree_v2", reinterpret_cast<uint64_t>(memory));
}

struct DeviceAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    uint64_t address = 0;
    const auto device = present();
    if (bytes > 0) {
      call("cuMemAlloc_v2", &address, bytes);
    }
    auto* memory = reinterpret_cast<void*>(address);
    return {memory, memory, bytes > 0 ? &release : &c10::detail::deleteNothing, c10::Device(EMU, device)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return &release;
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    const auto stream = streamOf(present());
    call("cuMemcpyDtoDAsync_v2", reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), bytes, handleOf(stream));
  }
} allocator;

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override {
    return true;
  }
  bool isAvailable() const override {
    return devices() > 0;
  }
  bool hasPrimaryContext(c10::DeviceIndex) const override {
    return true;
  }
  c10::DeviceIndex deviceCount() const override {
    return static_cast<c10::DeviceIndex>(devices());
  }
  void setCurrentDevice(c10::DeviceIndex device) const override {
    enter(device);
  }
  c10::DeviceIndex getCurrentDevice() const override {
    return present();
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    const auto before = present();
    enter(device);
    return before;
  }
  // FSDP does so, and has its storages have no bytes meanwhile.
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    const c10::DeviceGuard guard(storage.device());
    auto memory = allocator.allocate(bytes);
    const size_t kept = std::min(bytes, storage.nbytes());
    if (kept > 0) {
      allocator.copy_data(memory.get(), storage.data(), kept);
    }
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(memory));
    storage.set_nbytes(bytes);
  }
};

at::Tensor emptyStrided(
    c10::SymIntArrayRef size,
    c10::SymIntArrayRef stride,
    std::optional<at::ScalarType> type,
    std::optional<at::Layout>,
    std::optional<at::Device> device,
    std::optional<bool>) {
  const c10::DeviceGuard guard(device && device->has_index() ? *device : c10::Device(EMU, present()));
  return at::detail::empty_strided_generic(
      C10_AS_INTARRAYREF_SLOW(size),
      C10_AS_INTARRAYREF_SLOW(stride),
      &allocator,
      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::dtype_or_default(type));
}

at::Tensor emptyOf(
    c10::SymIntArrayRef size,
    std::optional<at::ScalarType> type,
    std::optional<at::Layout>,
    std::optional<at::Device> device,
    std::optional<bool>,
    std::optional<at::MemoryFormat> format) {
  const c10::DeviceGuard guard(device && device->has_index() ? *device : c10::Device(EMU, present()));
  return at::detail::empty_generic(
      C10_AS_INTARRAYREF_SLOW(size),
      &allocator,
      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::dtype_or_default(type),
      format);
}

// Page-locked memory, through which alone the emulation copies. It stays, as programs keep theirs: a device has as many
// blocks as copies go on at once, and one that is too small gives way to one of at least twice its size.
class Staging {
 public:
  // `bytes` of it, until the tensor is gone; `device` is the thread's.
  at::Tensor take(c10::DeviceIndex device, size_t bytes) {
    Block block = spare(device, bytes);
    if (block.bytes < bytes) {
      const size_t grown = std::max(bytes, 2 * block.bytes);
      if (block.memory != nullptr) {
        call("cuMemFreeHost", block.memory);
      }
      block = {nullptr, grown};
      call("cuMemHostAlloc", &block.memory, grown, 0u);
    }
    const auto giveBack = [this, device, block](void*) { keep(device, block); };
    return at::from_blob(block.memory, {static_cast<int64_t>(bytes)}, giveBack, at::kByte);
  }

 private:
  struct Block {
    void* memory;
    size_t bytes;
  };

  // The smallest that is large enough, else the largest; that of no bytes if all are in use.
  Block spare(c10::DeviceIndex device, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& spares = spares_[device];
    if (spares.empty()) {
      return {nullptr, 0};
    }
    auto found = std::find_if(spares.begin(), spares.end(), [&](const Block& each) { return each.bytes >= bytes; });
    if (found == spares.end()) {
      found--;
    }
    const Block block = *found;
    spares.erase(found);
    return block;
  }

  void keep(c10::DeviceIndex device, const Block& block) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& spares = spares_[device];
    const auto larger = [&](const Block& each) { return each.bytes > block.bytes; };
    spares.insert(std::find_if(spares.begin(), spares.end(), larger), block);
  }

  std::mutex mutex_;
  std::map<c10::DeviceIndex, std::vector<Block>> spares_; // by size
};

Staging& staging = *new Staging; // tensors may outlive what is destroyed at the end of the process

// All of the memory that `tensor` is a view of, on the CPU.
at::Tensor storageOnCpu(const at::Tensor& tensor) {
  const auto& storage = tensor.storage();
  const auto stream = streamOf(tensor.device().index());
  enter(tensor.device().index());
  auto bytes = staging.take(tensor.device().index(), storage.nbytes());
  call(
      "cuMemcpyDtoHAsync_v2",
      bytes.data_ptr(),
      reinterpret_cast<uint64_t>(storage.data()),
      storage.nbytes(),
      handleOf(stream));
  awaitStream(stream);
  return bytes;
}

at::Tensor viewOf(const at::Tensor& bytes, const at::Tensor& like) {
  return at::empty({0}, like.options().device(at::kCPU))
      .set_(bytes.storage(), like.storage_offset(), like.sizes(), like.strides());
}

at::Tensor onCpu(const at::Tensor& tensor) {
  return tensor.is_cpu() ? tensor : viewOf(storageOnCpu(tensor), tensor);
}

// What has come to tensors of the host: the bytes that would have crossed a bus.
std::atomic<size_t> bytesToHost{0};

at::Tensor copyFrom(const at::Tensor& from, const at::Tensor& to, bool) {
  const bool alike = from.dtype() == to.dtype() && from.is_contiguous() && to.is_contiguous();
  if (from.numel() == 0) {
    return to;
  }
  if (alike && !from.is_cpu() && !to.is_cpu()) {
    const auto stream = streamOf(to.device().index());
    enter(to.device().index());
    call(
        "cuMemcpyDtoDAsync_v2",
        reinterpret_cast<uint64_t>(to.data_ptr()),
        reinterpret_cast<uint64_t>(from.data_ptr()),
        static_cast<size_t>(from.nbytes()),
        handleOf(stream));
    return to;
  }
  const auto source = onCpu(from);
  if (to.is_cpu()) {
    bytesToHost += from.nbytes();
    to.copy_(source);
    return to;
  }
  const auto bytes = storageOnCpu(to);
  viewOf(bytes, to).copy_(source);
  const auto stream = streamOf(to.device().index());
  enter(to.device().index());
  call(
      "cuMemcpyHtoDAsync_v2",
      reinterpret_cast<uint64_t>(to.storage().data()),
      const_cast<const void*>(bytes.const_data_ptr()),
      to.storage().nbytes(),
      handleOf(stream));
  awaitStream(stream);
  return to;
}

// What was in it is lost: only results of the CPU's operations are resized here.
const at::Tensor& resize(const at::Tensor& tensor, c10::SymIntArrayRef size, std::optional<at::MemoryFormat>) {
  const auto sizes = C10_AS_INTARRAYREF_SLOW(size);
  const auto& storage = tensor.storage();
  const size_t bytes = (c10::multiply_integers(sizes) + tensor.storage_offset()) * tensor.itemsize();
  if (storage.nbytes() < bytes) {
    enter(tensor.device().index());
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(allocator.allocate(bytes));
    storage.set_nbytes(bytes);
  }
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return tensor;
}

at::Tensor copyFromAndResize(const at::Tensor& from, const at::Tensor& to) {
  if (from.sizes() != to.sizes()) {
    to.resize_(from.sizes());
  }
  return copyFrom(from, to, false);
}

// Tensors that another stream than their own still uses.
struct Held {
  std::mutex mutex;
  std::deque<std::pair<at::Tensor, void*>> tensors;

  void hold(const at::Tensor& tensor, const c10::Stream& stream) {
    void* event = nullptr;
    Guard().record(&event, stream, stream.device_index(), c10::EventFlag::PYTORCH_DEFAULT);
    std::lock_guard<std::mutex> lock(mutex);
    while (!tensors.empty() && ask("cuEventQuery", tensors.front().second) == 0) {
      ask("cuEventDestroy_v2", tensors.front().second);
      tensors.pop_front();
    }
    tensors.emplace_back(tensor, event);
  }
} held;

void recordStream(at::Tensor& tensor, c10::Stream stream) {
  held.hold(tensor, stream);
}

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::native::cpu_fallback(op, stack);
}

// Convolutions, which torch does not compute on the CPU by itself where they are another device's.
at::Tensor convolution(
    const at::Tensor& input,
    const at::Tensor& weight,
    const std::optional<at::Tensor>& bias,
    at::IntArrayRef stride,
    at::IntArrayRef padding,
    at::IntArrayRef dilation,
    bool transposed,
    at::IntArrayRef outputPadding,
    int64_t groups) {
  const auto added = bias && bias->defined() ? std::optional(onCpu(*bias)) : std::nullopt;
  return at::convolution(
             onCpu(input), onCpu(weight), added, stride, padding, dilation, transposed, outputPadding, groups)
      .to(input.device());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolutionBackward(
    const at::Tensor& gradient,
    const at::Tensor& input,
    const at::Tensor& weight,
    at::IntArrayRef stride,
    at::IntArrayRef padding,
    at::IntArrayRef dilation,
    bool transposed,
    at::IntArrayRef outputPadding,
    int64_t groups,
    std::array<bool, 3> wanted) {
  const std::vector<int64_t> biasSizes{gradient.size(1)};
  const auto there = [&](const at::Tensor& result) { return result.defined() ? result.to(input.device()) : result; };
  const auto [ofInput, ofWeight, ofBias] = at::convolution_backward(
      onCpu(gradient), onCpu(input), onCpu(weight), at::IntArrayRef(biasSizes), stride, padding, dilation, transposed,
      outputPadding, groups, wanted);
  return {there(ofInput), there(ofWeight), there(ofBias)};
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", emptyOf);
  m.impl("empty_strided", emptyStrided);
  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("view", at::native::view);
  m.impl("view_as_real", at::native::view_as_real);
  m.impl("view_as_complex", at::native::view_as_complex);
  m.impl("_copy_from", copyFrom);
  m.impl("_copy_from_and_resize", copyFromAndResize);
  m.impl("resize_", resize);
  m.impl("record_stream", recordStream);
  m.impl("convolution_overrideable", convolution);
  m.impl("convolution_backward_overrideable", convolutionBackward);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

// Queues on the current stream what takes `ms` milliseconds, and then fills all bytes of `tensor`.
void fillLate(const at::Tensor& tensor, int value, int ms) {
  const auto stream = streamOf(tensor.device().index());
  enter(tensor.device().index());
  void (*wait)(void*) = [](void* argument) {
    std::this_thread::sleep_for(std::chrono::milliseconds(reinterpret_cast<intptr_t>(argument)));
  };
  call("cuLaunchHostFunc", handleOf(stream), wait, reinterpret_cast<void*>(static_cast<intptr_t>(ms)));
  call(
      "cuMemsetD8Async",
      reinterpret_cast<uint64_t>(tensor.data_ptr()),
      static_cast<unsigned char>(value),
      static_cast<size_t>(tensor.nbytes()),
      handleOf(stream));
}

Hooks hooks;

} // namespace

PYBIND11_MODULE(emulated_device, m) {
  at::RegisterPrivateUse1HooksInterface(&hooks);
  m.def("device_count", &devices);
  m.def("current_device", [] { return static_cast<int>(present()); });
  m.def("set_device", [](int device) { enter(static_cast<c10::DeviceIndex>(device)); });
  m.def("is_available", [] { return devices() > 0; });
  m.def("_is_in_bad_fork", [] { return false; });
  m.def("manual_seed_all", [](int64_t) {});
  m.def("fill_late", &fillLate);
  m.def("bytes_to_host", [] { return bytesToHost.load(); });
}
