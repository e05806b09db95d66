// SPDX-License-Identifier: Apache-2.0
#define VENDOR "emu-kunlunxin-xre"

#include "../shared/ccl_numbers_xccl.h"
