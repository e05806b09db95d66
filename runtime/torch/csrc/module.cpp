// SPDX-License-Identifier: Apache-2.0
// What Python sees: tombolo._C. Torch's own bindings serve the rest, as a group is a c10d::Backend to them.
#include "backend.h"
#include "other_job.h"
#include "store.h"

#include <pybind11/chrono.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <future>
#include <thread>

namespace {

namespace py = pybind11;

// How long what was given up at the end may take to be left.
constexpr std::chrono::seconds kAbortTime{1};

using tombolo::Family;
using tombolo::OtherJob;
using tombolo::TomboloBackend;

c10::intrusive_ptr<c10d::Backend> join(
    const c10::intrusive_ptr<c10d::Store>& store,
    int rank,
    int size,
    std::chrono::milliseconds timeout,
    const std::string& name,
    const std::string& vendor,
    int device) {
  return TomboloBackend::join(
      tombolo::Membership{tombolo::withoutDevicePrefix(store), rank, size, timeout, name, vendor, device},
      std::make_shared<Family>());
}

c10::intrusive_ptr<TomboloBackend> ours(const c10::intrusive_ptr<c10d::Backend>& backend) {
  auto ours = c10::dynamic_intrusive_pointer_cast<TomboloBackend>(backend);
  TORCH_CHECK_VALUE(ours, "this is a group of the backend ", backend->getBackendName());
  return ours;
}

// Leaves all of them at once, as each may wait a moment for its ranks. What is under way after `limit` is given up. Whoever is
// not back then goes on alone: the end of the process ends it.
void leave(const std::vector<c10::intrusive_ptr<c10d::Backend>>& groups, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  std::vector<std::future<void>> left;
  for (const auto& group : groups) {
    std::packaged_task<void()> task([group] { group->shutdown(); });
    left.push_back(task.get_future());
    std::thread(std::move(task)).detach();
  }
  for (size_t i = 0; i < groups.size(); i++) {
    if (left[i].wait_until(end) != std::future_status::ready) {
      groups[i]->abort();
    }
  }
  for (auto& each : left) {
    each.wait_until(end + kAbortTime);
  }
}

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  using release = py::call_guard<py::gil_scoped_release>;
  // Once a device is bound to the default group, torch calls this on ranks that are not in a new group, as NCCL needs it.
  py::class_<TomboloBackend, c10::intrusive_ptr<TomboloBackend>, c10d::Backend>(m, "TomboloBackend")
      .def("perform_nocolor_split", [](TomboloBackend&, at::Device) {});
  py::class_<Family, std::shared_ptr<Family>>(m, "Family").def("groups", &Family::groups);
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
  m.def(
      "describe",
      [](const c10::intrusive_ptr<c10d::Backend>& backend) { return ours(backend)->describe(); },
      py::arg("backend"),
      release());
  m.def(
      "family",
      [](const c10::intrusive_ptr<c10d::Backend>& backend) { return ours(backend)->family(); },
      py::arg("backend"));
  py::class_<OtherJob, std::shared_ptr<OtherJob>> otherJob(m, "OtherJob");
  py::enum_<OtherJob::Role>(otherJob, "Role")
      .value("ACCEPTS", OtherJob::Role::kAccepts)
      .value("CONNECTS", OtherJob::Role::kConnects);
  otherJob.def("size", &OtherJob::size)
      .def("send", &OtherJob::send, py::arg("tensor"), py::arg("peer"), py::arg("tag"), release())
      .def("receive", &OtherJob::receive, py::arg("tensor"), py::arg("peer"), py::arg("tag"), release())
      .def("failure", &OtherJob::failure, release())
      .def("abort", &OtherJob::abort, release())
      .def("close", &OtherJob::close, release());
  m.def(
      "meet",
      [](const c10::intrusive_ptr<c10d::Backend>& group,
         OtherJob::Role role,
         const std::string& address,
         const std::optional<std::string>& token,
         std::optional<std::chrono::milliseconds> timeout) {
        return OtherJob::meet(ours(group), role, address, token, timeout);
      },
      py::arg("group"),
      py::arg("role"),
      py::arg("address"),
      py::arg("token"),
      py::arg("timeout"),
      release());
  m.def("leave", &leave, py::arg("groups"), py::arg("limit"), release());
  m.def(
      "finalize",
      [] { tombolo_finalize(); }, // at the end of the process nobody is left to be told
      release());
  m.def("version", &tombolo_version);
}
