// SPDX-License-Identifier: Apache-2.0
// Nothing of ours: the headers that nearly every file includes, which take the compiler most of its time. setup.py has
// them compiled once, and included before each file by the compiler.

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Event.h>
#include <pybind11/chrono.h>
#include <pybind11/stl.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/Utils.hpp>
#include <torch/csrc/utils/pybind.h>
