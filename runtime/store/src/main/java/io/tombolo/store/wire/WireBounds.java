// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

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

  private WireBounds() {}
}
