// SPDX-License-Identifier: Apache-2.0
// What Python sees: tombolo._C. Torch's own bindings serve the rest, as a group is a c10d::Backend to them.
#include "backend.h"
#include "store.h"

#include <pybind11/chrono.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <thread>

namespace {

namespace py = pybind11;
using tombolo::TomboloBackend;

c10::intrusive_ptr<c10d::Backend> join(
    const c10::intrusive_ptr<c10d::Store>& store,
    int rank,
    int size,
    std::chrono::milliseconds timeout,
    const std::string& name,
    const std::string& vendor,
    int device) {
  return c10::make_intrusive<TomboloBackend>(
      tombolo::Membership{tombolo::withoutDevicePrefix(store), rank, size, timeout, name, vendor, device});
}

std::string describe(const c10::intrusive_ptr<c10d::Backend>& backend) {
  auto ours = c10::dynamic_intrusive_pointer_cast<TomboloBackend>(backend);
  TORCH_CHECK_VALUE(ours, "this is a group of the backend ", backend->getBackendName());
  return ours->describe();
}

// Leaves all of them at once: on other ranks they may be left in another order, and each waits for its ranks.
void leave(const std::vector<c10::intrusive_ptr<c10d::Backend>>& groups) {
  std::vector<std::thread> threads;
  for (const auto& group : groups) {
    threads.emplace_back([group] { group->shutdown(); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

// A group that others keep alive. A weak reference of Python's own ends with Python's object of the group, which some versions
// of torch drop while the group lives on.
class WeakGroup {
 public:
  explicit WeakGroup(const c10::intrusive_ptr<c10d::Backend>& group) : group_(group) {}

  c10::intrusive_ptr<c10d::Backend> get() const {
    return group_.lock();
  }

 private:
  c10::weak_intrusive_ptr<c10d::Backend> group_;
};

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  using release = py::call_guard<py::gil_scoped_release>;
  // Once a device is bound to the default group, torch calls this on ranks that are not in a new group, as NCCL needs it.
  py::class_<TomboloBackend, c10::intrusive_ptr<TomboloBackend>, c10d::Backend>(m, "TomboloBackend")
      .def("perform_nocolor_split", [](TomboloBackend&, at::Device) {});
  py::class_<WeakGroup>(m, "WeakGroup")
      .def(py::init<const c10::intrusive_ptr<c10d::Backend>&>())
      .def("__call__", &WeakGroup::get);
  m.def(
      "join",
      &join,
      py::arg("store"),
      py::arg("rank"),
      py::arg("size"),
      py::arg("timeout"),
      py::arg("name"),
      py::arg("vendor"),
      py::arg("device"),
      release());
  m.def("describe", &describe, py::arg("backend"), release());
  m.def("leave", &leave, py::arg("groups"), release());
  m.def(
      "finalize",
      [] { tombolo_finalize(); }, // at the end of the process nobody is left to be told
      release());
  m.def("version", &tombolo_version);
}
