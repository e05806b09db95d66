// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.work.WorkState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Errors as C has them: a number, and a text in UTF-8. */
final class StatusCodes {
  private static final Logger LOG = LoggerFactory.getLogger(StatusCodes.class);

  private static final int USAGE = 1;
  private static final int RESOURCE = 12;
  private static final int INTERNAL = 13;

  private StatusCodes() {}

  /** The number of {@code error}, as {@code tombolo_status} has it. */
  static int statusOf(Throwable error) {
    if (error instanceof TomboloException known) {
      return WorkState.kindOf(known);
    }
    if (error instanceof IllegalArgumentException) {
      return USAGE; // how records refuse what makes no sense
    }
    return error instanceof OutOfMemoryError ? RESOURCE : INTERNAL;
  }

  /** One byte, the number of {@code error}, and then its text. */
  static byte[] encoded(Throwable error) {
    int status = statusOf(error);
    if (status == INTERNAL) {
      LOG.error("a defect; please report it", error);
    }
    byte[] text = textOf(error, status).getBytes(UTF_8);
    byte[] encoded = new byte[1 + text.length];
    encoded[0] = (byte) status;
    System.arraycopy(text, 0, encoded, 1, text.length);
    return encoded;
  }

  private static String textOf(Throwable error, int status) {
    String message = error.getMessage();
    return status == INTERNAL || message == null ? error.toString() : message;
  }
}
