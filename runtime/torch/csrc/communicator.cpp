// SPDX-License-Identifier: Apache-2.0
#include "communicator.h"

#include "engine.h"
#include "interrupts.h"
#include "store.h"

#include <ATen/DeviceAccelerator.h>
#include <c10/util/Exception.h>
#include <unistd.h>

#include <exception>
#include <fstream>
#include <utility>

namespace tombolo {

namespace {

// Every time that these ranks meet under this prefix (init_process_group after destroy_process_group) gets a number
// of its own, so that nobody finds what an earlier meeting has left. Ranks meet under the same number if they have come
// as often: after an attempt of some ranks alone, use a new store or prefix.
int32_t meetingNumber(c10d::Store& store, int rank) {
  return static_cast<int32_t>(store.add("tombolo/joined/" + std::to_string(rank), 1) - 1);
}

// This machine as all of its processes see it, and no other.
std::string hostIdentity() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return std::string(name) + "/" + boot;
}

// Which of a group's ranks are on this host, of which this is the how-manieth.
struct Neighbours {
  int32_t rank = 0;
  int32_t ranks = 0;
};

Neighbours meetNeighbours(const Membership& membership, const std::string& name) {
  auto& store = *membership.store;
  const std::string own = hostIdentity();
  std::vector<std::string> keys;
  for (int rank = 0; rank < membership.size; rank++) {
    keys.push_back(name + "/host/" + std::to_string(rank));
  }
  store.set(keys[membership.rank], own);
  try {
    store.wait(keys, membership.timeout);
  } catch (const std::exception& error) { // each store has another type for a wait whose time is over
    std::string absent;
    for (int rank = 0; rank < membership.size; rank++) {
      absent += store.check({keys[rank]}) ? "" : " " + std::to_string(rank);
    }
    if (absent.empty()) {
      throw;
    }
    const std::string text = error.what(); // with a trace of C++ below it
    C10_THROW_ERROR(
        DistBackendError,
        "rank " + std::to_string(membership.rank) + " of group " + membership.name + ": ranks" + absent +
            " did not come within " + std::to_string(membership.timeout.count()) +
            " ms: look at their output, and check that they run with WORLD_SIZE=" + std::to_string(membership.size) +
            " and reach the same store, which says: " + text.substr(0, text.find('\n')));
  }
  Neighbours found;
  for (int rank = 0; rank < membership.size; rank++) {
    if (store.get_to_str(keys[rank]) == own) {
      found.rank += rank < membership.rank ? 1 : 0;
      found.ranks++;
    }
  }
  return found;
}

// A communicator until somebody takes it over. That nobody did means that there will be no group: the others fail at once.
class Joined {
 public:
  explicit Joined(tombolo_comm handle) : handle_(handle) {}
  Joined(Joined&& other) noexcept : handle_(other.take()) {}
  Joined& operator=(Joined&&) = delete;
  ~Joined() {
    if (handle_ != 0) {
      tombolo_comm_abort(handle_);
      tombolo_comm_destroy(handle_);
    }
  }

  tombolo_comm take() {
    return std::exchange(handle_, 0);
  }

 private:
  tombolo_comm handle_;
};

Joined join(const Membership& membership) {
  const int32_t number = meetingNumber(*membership.store, membership.rank);
  const std::string name = "tombolo/" + std::to_string(number);
  const Neighbours neighbours = meetNeighbours(membership, name);
  tombolo_store store = StoreBridge::callbacks(membership.store);
  tombolo_config config = TOMBOLO_CONFIG_INIT;
  config.rank = membership.rank;
  config.ranks = membership.size;
  config.local_rank = neighbours.rank;
  config.local_ranks = neighbours.ranks;
  config.vendor = membership.vendor.empty() ? nullptr : membership.vendor.c_str();
  config.device = membership.device;
  config.generation = number;
  config.store = &store;
  config.name = name.c_str();
  config.timeout_ms = membership.timeout.count();
  tombolo_comm joined = 0;
  check(tombolo_comm_init(&config, &joined), "joining group " + membership.name);
  return Joined(joined);
}

} // namespace

Communicator::Communicator(const Membership& membership)
    : handle_(interruptibly<Joined>([membership] { return join(membership); }).take()) {
  try {
    findDevice(membership.name);
  } catch (...) { // joined, but there will be no group: the others fail at once
    tombolo_comm_abort(handle_);
    leave();
    throw;
  }
}

void Communicator::findDevice(const std::string& group) {
  int streams = 0;
  check(tombolo_comm_has_streams(handle_, &streams), "asking for the device of group " + group);
  hasStreams_ = streams != 0;
  if (hasStreams_) {
    auto accelerator = at::accelerator::getAccelerator(true).value();
    device_ = at::Device(accelerator, at::accelerator::getDeviceIndex());
  }
}

Communicator::~Communicator() {
  leave();
}

void Communicator::leave() {
  std::lock_guard<std::mutex> lock(leaving_);
  if (handle_ != 0) {
    tombolo_comm_destroy(handle_); // a failure to leave says what has been said where an operation failed
    handle_ = 0;
  }
}

std::string Communicator::text(tombolo_fact fact) const {
  size_t needed = 0;
  check(tombolo_comm_text(handle_, fact, nullptr, 0, &needed), "describing the group");
  std::string text(needed, '\0');
  check(tombolo_comm_text(handle_, fact, text.data(), text.size(), &needed), "describing the group");
  text.resize(needed > 0 ? needed - 1 : 0);
  return text;
}

} // namespace tombolo
