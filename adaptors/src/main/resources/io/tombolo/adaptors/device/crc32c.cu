/*
 * The CRC-32C (RFC 3720, appendix B.4) of a device's memory. Compiled where it runs, by NVRTC or hipRTC;
 * src/test/c/device_crc32c holds this very text to the definition. So it is C as well as C++, and includes nothing.
 *
 * Bytes are a polynomial over GF(2), and the checksum is what is left of it modulo Castagnoli's, which is linear: each
 * thread adds what its words are left with once they are multiplied by the x^n that is due to their place. A
 * polynomial's coefficient of x^0 is the highest bit, as in the registers of the definition.
 */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef __cplusplus
#define ENTRY extern "C" __global__ void
#else
#define ENTRY __global__ void
#endif

/* left times right */
static __device__ u32 product(u32 left, u32 right) {
  u32 sum = 0;
  for (int i = 0; i < 32; i++) {
    sum ^= right & (0u - (left >> 31));
    left <<= 1;
    right = right >> 1 ^ (0x82f63b78u & (0u - (right & 1)));
  }
  return sum;
}

/* x^n */
static __device__ u32 power(u64 n) {
  u32 result = 1u << 31;
  for (u32 square = 1u << 30; n != 0; n >>= 1) {
    if (n & 1) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

/* The last 4 of `there` bytes before `end`, at any address; what there is none of is zeros in front. */
static __device__ u32 word_before(const u8* end, u64 there) {
  u32 word = 0;
  for (int i = 0; i < 4 && (u64)i < there; i++) word |= (u32)end[-1 - i] << (24 - 8 * i);
  return word;
}

/*
 * Adds the checksum of `count` bytes to `crc`, which was 0. Words are counted from the end, so that all are whole but
 * the first in memory. They are dealt to the threads in turn: neighbours read neighbours.
 */
ENTRY tombolo_crc32c(u32* crc, const u8* bytes, u64 count) {
  u64 threads = (u64)gridDim.x * blockDim.x;
  u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  u64 words = count / 4 + (count % 4 != 0);
  u32 step = power(32 * threads);
  u32 sum = 0;
  for (u64 left = words > thread ? (words - thread - 1) / threads + 1 : 0; left > 0; left--) {
    u64 there = count - 4 * (thread + (left - 1) * threads);
    sum = product(sum, step) ^ word_before(bytes + there, there);
  }
  sum = product(sum, power(32 * (thread + 1)));
  if (thread == 0) sum ^= ~product(~0u, power(8 * count)); /* of so many zeros: the definition begins and ends with ones */
  if (sum != 0) (void)atomicXor(crc, sum);
}
