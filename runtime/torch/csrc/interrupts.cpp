// SPDX-License-Identifier: Apache-2.0
#include "interrupts.h"

#include <pybind11/pybind11.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tombolo {

void checkInterrupts() {
  if (syscall(SYS_gettid) != getpid() || !Py_IsInitialized()) {
    return;
  }
  pybind11::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) {
    throw pybind11::error_already_set();
  }
}

} // namespace tombolo
