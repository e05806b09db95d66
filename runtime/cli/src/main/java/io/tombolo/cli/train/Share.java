// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.train;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * The part of every batch that one rank computes.
 *
 * @param rank whose part
 * @param size how many ranks share a batch
 */
public record Share(int rank, int size) {
  /** All of it. */
  public static final Share ALL = new Share(0, 1);

  /** Checks that the rank is one of them. */
  public Share {
    checkArgument(rank >= 0 && rank < size, "rank %s of %s", rank, size);
  }

  /** First position in a batch of {@code batchSize} that belongs to this part. */
  int from(int batchSize) {
    return (int) ((long) batchSize * rank / size);
  }

  /** First position after this part. */
  int to(int batchSize) {
    return (int) ((long) batchSize * (rank + 1) / size);
  }
}
