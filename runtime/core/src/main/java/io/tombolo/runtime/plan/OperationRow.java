// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Primitive;
import java.util.List;
import java.util.Optional;

/**
 * All there is to know about one operation. Whoever asks what an operation is reads its row: the
 * planner, the verifier, bounds, tuners, the command line, the benchmark and the table in
 * docs/algorithms.md. Its form with blocks of any sizes has the same row.
 */
interface OperationRow {
  /** What ranks give and get. */
  Signature signature();

  /** Whether only some ranks take part, so that nobody votes on it. */
  boolean isPointToPoint();

  /** What a library is asked for that does all of it, where all ranks are of one cluster. */
  Optional<Primitive> whole();

  /** What a cluster's library is asked for where there are several clusters. */
  ImmutableSet<Primitive> inside();

  /** Whether ranks stand each for itself always, and no library is asked for anything. */
  boolean isHostOnly();

  /** How data may go between clusters. */
  ImmutableSet<Algorithm> algorithms();

  /** The call cut into segments, which are made anew whenever they are asked for. */
  List<? extends Segment> segments(Cutting cutting);

  /** What must leave and enter a cluster. */
  Bounds bounds(Border border);

  /** What a call takes in one cluster, in picoseconds; 0 if all algorithms are alike. */
  long estimatePs(Estimate estimate);

  /** How much of the algorithm's bandwidth the busiest link carries. */
  BusFactor busFactor();

  /** How it goes, in the words of docs/algorithms.md. */
  String steps();

  /** What crosses between clusters, in the words of docs/algorithms.md. */
  String bytesAcross();
}
