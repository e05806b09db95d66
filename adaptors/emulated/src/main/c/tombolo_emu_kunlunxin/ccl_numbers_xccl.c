#define VENDOR "emu-kunlunxin"

#include "../shared/ccl_numbers_xccl.h"
