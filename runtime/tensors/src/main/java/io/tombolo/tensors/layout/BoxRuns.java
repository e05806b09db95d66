// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * How a part of a tensor is copied from one rank's memory to another's: as runs of elements that
 * are contiguous in both. Each rank's memory holds its own box, row-major and without gaps.
 */
public final class BoxRuns {
  /** Told of each run, in rising order of both offsets. */
  public interface Visitor {
    /** A run of {@code elements}, which begins at these offsets from the two memories' starts. */
    void onRun(long sourceOffset, long destinationOffset, long elements);
  }

  private final Box source;
  private final Box destination;
  private final Box part;
  private final int outer;

  private BoxRuns(Box source, Box destination, Box part, int outer) {
    this.source = source;
    this.destination = destination;
    this.part = part;
    this.outer = outer;
  }

  /**
   * The runs that bring {@code part} from memory of {@code source} to memory of {@code
   * destination}.
   */
  public static BoxRuns of(Box source, Box destination, Box part) {
    checkArgument(source.contains(part), "%s is not all in %s", part, source);
    checkArgument(destination.contains(part), "%s is not all in %s", part, destination);
    return new BoxRuns(source, destination, part, outer(source, destination, part));
  }

  /** Dimensions to walk through: those before the first from which on a run can be cut. */
  private static int outer(Box source, Box destination, Box part) {
    int dim = part.dimensions();
    boolean whole = true;
    while (dim > 0 && whole) {
      dim--;
      whole = part.length(dim) == source.length(dim) && part.length(dim) == destination.length(dim);
    }
    return dim;
  }

  /** Elements of each run; 0 if there is none. */
  public long runElements() {
    long elements = part.isEmpty() ? 0 : 1;
    for (int dim = outer; dim < part.dimensions(); dim++) {
      elements *= part.length(dim);
    }
    return elements;
  }

  /** Shows {@code visitor} every run. */
  public void forEach(Visitor visitor) {
    if (!part.isEmpty()) {
      walk(0, 0, 0, runElements(), visitor);
    }
  }

  private void walk(int dim, long sourceAt, long destinationAt, long run, Visitor visitor) {
    if (dim == part.dimensions()) {
      visitor.onRun(sourceAt, destinationAt, run);
      return;
    }
    long last = dim < outer ? part.to(dim) : part.from(dim) + 1;
    for (long index = part.from(dim); index < last; index++) {
      walk(
          dim + 1,
          sourceAt * source.length(dim) + index - source.from(dim),
          destinationAt * destination.length(dim) + index - destination.from(dim),
          run,
          visitor);
    }
  }
}
