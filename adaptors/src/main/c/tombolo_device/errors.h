// SPDX-License-Identifier: Apache-2.0
/* How failures become Java exceptions. All return with an exception pending. */
#ifndef TOMBOLO_ERRORS_H
#define TOMBOLO_ERRORS_H

#include "driver.h"

/* Throws `type` (a class name with slashes) with a formatted message. */
__attribute__((format(printf, 3, 4))) void throw_error(JNIEnv* env, const char* type, const char* format, ...);

/* Throws a VendorException with the raw `code`; the message may be of any length, and is changed to what Java takes. */
void throw_coded(JNIEnv* env, char* message, jlong code);

/* Throws what the vendor's `code` means: ResourceException when out of memory, else VendorException with the code. */
void throw_vendor(JNIEnv* env, const driver* by, role call, int code, jlong bytes);

#define ILLEGAL_STATE "java/lang/IllegalStateException"
#define UNAVAILABLE "io/tombolo/base/errors/UnavailableException"
#define UNSUPPORTED "io/tombolo/base/errors/UnsupportedException"
#define RESOURCE "io/tombolo/base/errors/ResourceException"

#endif
