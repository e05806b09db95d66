// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import com.google.common.base.Splitter;
import com.google.common.primitives.Ints;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import java.util.List;

/**
 * What {@code tombolo_id} says: where rank 0 hosts the store, and the job's secret.
 *
 * @param host as the ranks reach it
 * @param port where it listens
 * @param token what they prove
 */
record JobId(String host, int port, JobToken token) {
  private static final String MARK = "tombolo1";

  /** The id that {@code text} is. */
  static JobId parse(String text) {
    List<String> parts = Splitter.on('|').splitToList(text);
    Integer port = parts.size() == 4 ? Ints.tryParse(parts.get(2)) : null;
    if (port == null || !parts.get(0).equals(MARK)) {
      throw new UsageException(
          "this is no id that tombolo_make_id has made; hand all 256 bytes of rank 0's to all"
              + " ranks");
    }
    return new JobId(parts.get(1), port, JobToken.parse(parts.get(3)));
  }

  /** As {@link #parse} takes it. */
  String text() {
    return String.join("|", MARK, host, Integer.toString(port), token.hex());
  }
}
