// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import io.tombolo.rdma.Fabrics;
import java.util.Iterator;

/** What {@code --fabric} takes, for help texts and completion: the preferred fabric comes first. */
public final class FabricChoices implements Iterable<String> {
  /** For picocli. */
  public FabricChoices() {}

  @Override
  public Iterator<String> iterator() {
    return Iterables.concat(ImmutableList.of(JobOptions.AUTO), Fabrics.names()).iterator();
  }
}
