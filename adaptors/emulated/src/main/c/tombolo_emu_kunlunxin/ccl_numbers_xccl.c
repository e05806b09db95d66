// SPDX-License-Identifier: Apache-2.0
#define VENDOR "emu-kunlunxin"

#include "../shared/ccl_numbers_xccl.h"
