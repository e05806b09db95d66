// SPDX-License-Identifier: Apache-2.0
#include "nontemporal.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

/*
 * Measured where the second-level cache has 2 MiB and the last level, which other machines share, nominally 260: from 8 MiB
 * on going round is faster; at 1 MiB it is too, but the one who then uses the result loses more than was won. What is beyond
 * half of a smaller last level would be gone from it before it is used, in any case.
 */
enum { FROM_BYTES = 8 * 1024 * 1024 };

static size_t from_bytes = FROM_BYTES;

__attribute__((constructor)) static void look_at_the_cache(void) {
  long last_level = sysconf(_SC_LEVEL3_CACHE_SIZE); /* 0 or less: unknown */
  if (last_level > 0 && last_level / 2 < FROM_BYTES) {
    from_bytes = (size_t)last_level / 2;
  }
}

bool nontemporal_pays(size_t bytes) { return bytes >= from_bytes; }

#if defined(__x86_64__)
#include <immintrin.h>

enum { LINE = 64 };

/* A line in one store: it never waits half full for its rest. */
__attribute__((target("avx512f"))) static inline void store_avx512(unsigned char* out, const unsigned char* in) {
  _mm512_stream_si512((void*)out, _mm512_loadu_si512(in));
}

static inline void store(unsigned char* out, const unsigned char* in) {
  for (size_t at = 0; at < LINE; at += sizeof(__m128i)) {
    _mm_stream_si128((__m128i*)(void*)(out + at), _mm_loadu_si128((const __m128i*)(const void*)(in + at)));
  }
}

__attribute__((target("avx512f"))) static void copy_lines_avx512(unsigned char* out, const unsigned char* in, size_t bytes) {
  for (size_t at = 0; at < bytes; at += LINE) {
    store_avx512(out + at, in + at);
  }
}

static void copy_lines(unsigned char* out, const unsigned char* in, size_t bytes) {
  for (size_t at = 0; at < bytes; at += LINE) {
    store(out + at, in + at);
  }
}

void nontemporal_copy(void* to, const void* from, size_t bytes) {
  unsigned char* out = to;
  const unsigned char* in = from;
  size_t head = (size_t)(-(uintptr_t)out % LINE);
  head = head < bytes ? head : bytes;
  size_t lines = (bytes - head) / LINE * LINE;
  memcpy(out, in, head);
  if (__builtin_cpu_supports("avx512f")) {
    copy_lines_avx512(out + head, in + head, lines);
  } else {
    copy_lines(out + head, in + head, lines);
  }
  memcpy(out + head + lines, in + head + lines, bytes - head - lines);
}

__attribute__((target("avx512f"))) static void spread_lines_avx512(unsigned char* const* to, const unsigned char* const* operands,
                                                                   int places, size_t at, const unsigned char* in, size_t bytes) {
  for (size_t line = 0; line < bytes; line += LINE) {
    for (int i = 0; i < places; i++) {
      store_avx512(to[i] + at + line, in + line);
      __builtin_prefetch(operands[i] + at + bytes + line);
    }
  }
}

static void spread_lines(unsigned char* const* to, const unsigned char* const* operands, int places, size_t at,
                         const unsigned char* in, size_t bytes) {
  for (size_t line = 0; line < bytes; line += LINE) {
    for (int i = 0; i < places; i++) {
      store(to[i] + at + line, in + line);
      __builtin_prefetch(operands[i] + at + bytes + line);
    }
  }
}

static bool all_are_lines(unsigned char* const* to, int places, size_t at, size_t bytes) {
  uintptr_t odd = bytes;
  for (int i = 0; i < places; i++) {
    odd |= (uintptr_t)to[i] + at;
  }
  return odd % LINE == 0;
}

void nontemporal_spread(unsigned char* const* to, const unsigned char* const* operands, int places, size_t at, const void* from,
                        size_t bytes) {
  if (!all_are_lines(to, places, at, bytes)) {
    for (int i = 0; i < places; i++) {
      nontemporal_copy(to[i] + at, from, bytes);
    }
  } else if (__builtin_cpu_supports("avx512f")) {
    spread_lines_avx512(to, operands, places, at, from, bytes);
  } else {
    spread_lines(to, operands, places, at, from, bytes);
  }
}

void nontemporal_end(void) { _mm_sfence(); }

#else

void nontemporal_copy(void* to, const void* from, size_t bytes) { memcpy(to, from, bytes); }

void nontemporal_spread(unsigned char* const* to, const unsigned char* const* operands, int places, size_t at, const void* from,
                        size_t bytes) {
  (void)operands;
  for (int i = 0; i < places; i++) {
    memcpy(to[i] + at, from, bytes);
  }
}

void nontemporal_end(void) {}

#endif
