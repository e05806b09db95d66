// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.OpenFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections that were turned away: how many, and why the last one. */
public final class Refusals {
  private static final Logger log = LoggerFactory.getLogger(Refusals.class);

  private final int rank;
  private final String fabric;
  private int count;
  private String last = "";

  /** None yet, on {@code rank}'s end of {@code fabric}. */
  public Refusals(int rank, String fabric) {
    this.rank = rank;
    this.fabric = fabric;
  }

  /** One more, because of {@code why}. */
  public void add(Exception why) {
    count++;
    last = OpenFiles.ranOut(why) ? OpenFiles.help() : String.valueOf(why.getMessage());
    log.debug("rank {} refused a connection over {}: {}", rank, fabric, last);
  }

  /** For error messages; empty if there were none. */
  @Override
  public String toString() {
    return count == 0 ? "" : "; " + count + " connections were refused, the last because " + last;
  }
}
