// SPDX-License-Identifier: Apache-2.0
/**
 * The Java side of the C interface, which {@code tombolo.h} declares and {@code libtombolo.so}
 * offers. C calls {@link io.tombolo.capi.Shell}, by JNI and with numbers only; start there.
 */
package io.tombolo.capi;
