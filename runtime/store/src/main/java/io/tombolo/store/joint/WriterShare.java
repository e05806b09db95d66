// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.joint;

import com.google.common.collect.ImmutableList;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.tensors.layout.Place;

/**
 * One of several writers of a version, and what it has.
 *
 * @param writer its number
 * @param writers how many it says there are
 * @param client its connection's name
 * @param mapped whether it writes to the volume's memory itself
 * @param parts what it has
 */
public record WriterShare(
    int writer, int writers, String client, boolean mapped, ImmutableList<NamedPart> parts) {
  private static final String VOLUME = "the volume's";

  /** Where its bytes come together. */
  static Place volume() {
    return new Place(VOLUME, VOLUME, VOLUME);
  }

  /** Where they are: near, if no connection is needed. */
  Place place() {
    return new Place(title(), mapped ? VOLUME : title(), VOLUME);
  }

  /** Its name for people. */
  public String title() {
    return "writer %s of %s (%s)".formatted(writer, writers, client);
  }
}
