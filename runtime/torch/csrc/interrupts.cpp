// SPDX-License-Identifier: Apache-2.0
#include "interrupts.h"

#include <pybind11/pybind11.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tombolo {

bool takesInterrupts() {
  return syscall(SYS_gettid) == getpid() && Py_IsInitialized();
}

void checkInterrupts() {
  if (!takesInterrupts()) {
    return;
  }
  pybind11::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) {
    throw pybind11::error_already_set();
  }
}

} // namespace tombolo
