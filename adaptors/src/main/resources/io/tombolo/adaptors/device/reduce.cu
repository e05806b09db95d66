/*
 * Element-wise reductions on a device: out[i] = left[i] op right[i], one kernel per operator and type. Compiled where it
 * runs, by NVRTC or hipRTC; the bits are those of the host's kernels (src/main/c/tombolo_reduce/reduce.h says which), to
 * which src/test/c/device_reduce holds this very text. So it is C as well as C++, and includes nothing.
 */
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#ifdef __cplusplus
#define ENTRY extern "C" __global__ void
#else
#define ENTRY __global__ void
#endif

#define KERNEL(op, t, T, RESULT)                                                        \
  ENTRY tombolo_##op##_##t(T* out, const T* left, const T* right, u64 count) {          \
    u64 step = (u64)gridDim.x * blockDim.x;                                             \
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {    \
      T a = left[i];                                                                    \
      T b = right[i];                                                                   \
      out[i] = (T)(RESULT);                                                             \
    }                                                                                   \
  }

/* Whole numbers wrap: W is unsigned, and at least as wide as an int. */
#define WHOLE(t, W)                        \
  KERNEL(sum, t, t, (W)a + (W)b)           \
  KERNEL(prod, t, t, (W)a * (W)b)          \
  KERNEL(min, t, t, a < b ? a : b)         \
  KERNEL(max, t, t, a > b ? a : b)         \
  KERNEL(band, t, t, a & b)                \
  KERNEL(bor, t, t, a | b)                 \
  KERNEL(bxor, t, t, a ^ b)

WHOLE(i8, u32)
WHOLE(u8, u32)
WHOLE(i16, u32)
WHOLE(u16, u32)
WHOLE(i32, u32)
WHOLE(u32, u32)
WHOLE(i64, u64)
WHOLE(u64, u64)

/* Bytes that are true unless 0; results are 0 or 1. */
KERNEL(sum, bool, u8, (a | b) != 0)
KERNEL(prod, bool, u8, (a != 0) & (b != 0))
KERNEL(min, bool, u8, (a != 0) & (b != 0))
KERNEL(max, bool, u8, (a | b) != 0)
KERNEL(band, bool, u8, (a != 0) & (b != 0))
KERNEL(bor, bool, u8, (a | b) != 0)
KERNEL(bxor, bool, u8, (a != 0) ^ (b != 0))

/*
 * Every NaN is the canonical one. Equal operands differ in the sign of a zero at most: OR gives the lesser, AND the
 * greater.
 */
#define FLOATING(T, BITS, QUIET_NAN)                                                                       \
  typedef union {                                                                                          \
    T value;                                                                                               \
    BITS bits;                                                                                             \
  } T##_word;                                                                                              \
  static __device__ BITS T##_bits(T x) {                                                                   \
    T##_word word;                                                                                         \
    word.value = x;                                                                                        \
    return word.bits;                                                                                      \
  }                                                                                                        \
  static __device__ T T##_of(BITS bits) {                                                                  \
    T##_word word;                                                                                         \
    word.bits = bits;                                                                                      \
    return word.value;                                                                                     \
  }                                                                                                        \
  static __device__ T T##_canonical(T x) { return x == x ? x : T##_of(QUIET_NAN); }                        \
  static __device__ T T##_sum(T x, T y) { return T##_canonical(x + y); }                                   \
  static __device__ T T##_prod(T x, T y) { return T##_canonical(x * y); }                                  \
  static __device__ T T##_min(T x, T y) {                                                                  \
    if (x != x || y != y) return T##_of(QUIET_NAN);                                                        \
    return x < y ? x : x > y ? y : T##_of(T##_bits(x) | T##_bits(y));                                      \
  }                                                                                                        \
  static __device__ T T##_max(T x, T y) {                                                                  \
    if (x != x || y != y) return T##_of(QUIET_NAN);                                                        \
    return x > y ? x : x < y ? y : T##_of(T##_bits(x) & T##_bits(y));                                      \
  }                                                                                                        \
  KERNEL(sum, T, T, T##_sum(a, b))                                                                         \
  KERNEL(prod, T, T, T##_prod(a, b))                                                                       \
  KERNEL(min, T, T, T##_min(a, b))                                                                         \
  KERNEL(max, T, T, T##_max(a, b))

FLOATING(f32, u32, 0x7fc00000u)
FLOATING(f64, u64, 0x7ff8000000000000ull)

/*
 * Floats of `exponent` and `mantissa` bits: a multiplication rebiases the exponent, and makes subnormals normal. In
 * those without infinities only the largest magnitude is no number.
 */
static __device__ f32 widen(u32 x, u32 exponent, u32 mantissa, int infinities) {
  u32 bias = (1u << (exponent - 1)) - 1;
  u32 largest = (1u << (exponent + mantissa)) - 1;
  u32 magnitude = x & largest;
  u32 special = infinities ? ((1u << exponent) - 1) << mantissa : largest;
  u32 scaled = f32_bits(f32_of(magnitude << (23 - mantissa)) * f32_of((254 - bias) << 23));
  u32 sign = x >> (exponent + mantissa) << 31;
  return f32_of(scaled | (magnitude >= special ? 0xffu << 23 : 0) | sign);
}

/* To nearest, ties to even, once; a subnormal is rounded by adding the number whose last bit is its unit. */
static __device__ u32 narrow(f32 x, u32 exponent, u32 mantissa, int infinities) {
  u32 bias = (1u << (exponent - 1)) - 1;
  u32 dropped = 23 - mantissa;
  u32 largest = (1u << (exponent + mantissa)) - 1;
  u32 infinity = ((1u << exponent) - 1) << mantissa;
  u32 beyond = infinities ? infinity : largest;
  u32 sign = f32_bits(x) >> 31 << (exponent + mantissa);
  u32 magnitude = f32_bits(x) & 0x7fffffffu;
  u32 unit = (151 - bias - mantissa) << 23;
  u32 odd = magnitude >> dropped & 1;
  u32 normal = (magnitude - ((127 - bias) << 23) + (1u << (dropped - 1)) - 1 + odd) >> dropped;
  u32 finite = magnitude < (128 - bias) << 23 ? f32_bits(f32_of(magnitude) + f32_of(unit)) - unit : normal;
  if (magnitude > 0xffu << 23) return infinities ? infinity | 1u << (mantissa - 1) : largest;
  if (magnitude < 0xffu << 23 && finite < beyond) return finite | sign;
  return infinities ? infinity | sign : largest;
}

/* Computed in f32. */
#define NARROW_KERNEL(op, t, T, E, M, INFINITIES) \
  KERNEL(op, t, T, narrow(f32_##op(widen(a, E, M, INFINITIES), widen(b, E, M, INFINITIES)), E, M, INFINITIES))

#define NARROW(t, T, E, M, INFINITIES)          \
  NARROW_KERNEL(sum, t, T, E, M, INFINITIES)    \
  NARROW_KERNEL(prod, t, T, E, M, INFINITIES)   \
  NARROW_KERNEL(min, t, T, E, M, INFINITIES)    \
  NARROW_KERNEL(max, t, T, E, M, INFINITIES)

NARROW(f16, u16, 5, 10, 1)
NARROW(bf16, u16, 8, 7, 1)
NARROW(f8e4m3, u8, 4, 3, 0)
NARROW(f8e5m2, u8, 5, 2, 1)
