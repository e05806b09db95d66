// SPDX-License-Identifier: Apache-2.0
/* Floating-point numbers as narrower ones, and back. Types have the numbers of DataType.java. */
#ifndef TOMBOLO_NARROW_H
#define TOMBOLO_NARROW_H

#include <stddef.h>
#include <stdint.h>

enum { NARROW_F16 = 8, NARROW_BF16 = 9, NARROW_F32 = 10, NARROW_F64 = 11, NARROW_E4M3 = 13, NARROW_E5M2 = 14 };

enum { NARROW_DONE = 0, NARROW_NO_SUCH_TYPE = -1 };

/* Divides `count` numbers by `scale` and rounds them to f32, and that to `to`, one of the types of 16 and 8 bits: to the
 * nearest, halves to even. What is too large becomes infinity, or NaN in e4m3, which has no infinity. Neither pointer needs
 * to be aligned to more than an element. */
int narrow(int from, const void* src, int to, void* dst, size_t count, float scale);

/* Makes `count` numbers f32, which is exact but for f64, and multiplies them by `scale`. */
int widen(int from, const void* src, float* dst, size_t count, float scale);

/* The largest magnitude of all that are finite; 0 if none is. */
int largest_magnitude(int from, const void* src, size_t count, double* largest);

#endif
