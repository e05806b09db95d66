// SPDX-License-Identifier: Apache-2.0
/* The engine is the host library's; its sources are named in each library's file "sources". */
#include "../../../../../src/main/c/shared/engine.h"
