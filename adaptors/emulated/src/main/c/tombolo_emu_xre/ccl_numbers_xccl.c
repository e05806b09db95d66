#define VENDOR "emu-kunlunxin-xre"

#include "../shared/ccl_numbers_xccl.h"
