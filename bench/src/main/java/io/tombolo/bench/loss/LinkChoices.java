// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.loss;

import java.util.Iterator;

/** What {@code --fabric} of {@code bench p2p} takes, for its help text and completion. */
final class LinkChoices implements Iterable<String> {
  @Override
  public Iterator<String> iterator() {
    return Candidates.links().iterator();
  }
}
