// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/**
 * The same stretch of every rank's block: what one segment of a block operation is about.
 *
 * @param layout the blocks
 * @param start first element of the stretch, counted in each block
 * @param most elements of the stretch; shorter blocks have fewer
 */
record BlockWindow(Layout layout, long start, long most) {
  /** Elements of {@code rank}'s block before the window. */
  long before(int rank) {
    return Math.min(start, layout.count(rank));
  }

  /** Elements of {@code rank}'s block in the window. */
  long length(int rank) {
    return Math.min(layout.count(rank) - before(rank), most);
  }

  /** Where they begin in a buffer that holds all blocks. */
  long at(int rank) {
    return layout.offset(rank) + before(rank);
  }
}
