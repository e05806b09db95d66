// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import java.nio.charset.StandardCharsets;

/** What a request or a reply has at most. */
public final class WireBounds {
  /** Bytes of a request, without tensors' bytes that may follow it. */
  public static final int REQUEST_BYTES = 4 << 20;

  /** Bytes of a reply, likewise: of what was put with one request, all can be told with one. */
  public static final int REPLY_BYTES = 8 << 20;

  /** UTF-8 bytes of a name. */
  public static final int NAME_BYTES = 1 << 10;

  /** Tensors that are put, opened or deleted at once. */
  public static final int TENSORS = 1 << 16;

  /** Rows of a listing, which then goes on with the next request. */
  public static final int ROWS = 1 << 10;

  /** UTF-8 bytes of a message. */
  public static final int MESSAGE_BYTES = 1 << 13;

  /** Writers of one version: as many as a volume has clients. */
  public static final int WRITERS = 512;

  /** Versions that are written together at one time. */
  public static final int JOINT_PUTS = 1 << 10;

  /** State dicts of which one process shows parts. */
  public static final int HELD = 512;

  /** Bytes of a put that a volume reads from its client's memory at once. */
  public static final int PULL_BYTES = 4 << 20;

  /** Bytes of what the ends of one-sided reads tell each other. */
  static final int CARD_BYTES = 1 << 8;

  private WireBounds() {}

  /** A message repeats names, which may be long. */
  static String shortened(String message) {
    int most = MESSAGE_BYTES / 4;
    boolean fits = message.getBytes(StandardCharsets.UTF_8).length <= MESSAGE_BYTES;
    return fits ? message : message.substring(0, most) + "…";
  }
}
