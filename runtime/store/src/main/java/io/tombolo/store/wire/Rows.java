// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.value.HeldListing;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.JointListing;
import io.tombolo.store.value.StateDictListing;
import io.tombolo.store.value.TensorListing;
import io.tombolo.store.value.VolumeFigures;

/** The rows of listings, and what else several messages have, as bytes. */
final class Rows {
  static final int LEAST_TENSOR_BYTES = NamedSpec.LEAST_BYTES + Integer.BYTES;
  static final int LEAST_STATE_DICT_BYTES = Integer.BYTES + 4 * Long.BYTES;

  static final int LEAST_JOINT_BYTES = 4 * Integer.BYTES + Byte.BYTES + Long.BYTES;
  static final int LEAST_HELD_BYTES = 5 * Integer.BYTES + 3 * Long.BYTES;

  private Rows() {}

  static void write(FieldWriter out, TensorListing row) {
    new NamedSpec(row.name(), row.spec()).write(out);
    out.i32(row.checksum());
  }

  static TensorListing tensor(FieldReader in) {
    NamedSpec tensor = NamedSpec.read(in);
    return new TensorListing(tensor.name(), tensor.spec(), in.i32());
  }

  static void write(FieldWriter out, StateDictListing row) {
    out.text(row.name(), WireBounds.NAME_BYTES)
        .i64(row.oldest())
        .i64(row.newest())
        .i64(row.tensors())
        .i64(row.sizeBytes());
  }

  static StateDictListing stateDict(FieldReader in) {
    return new StateDictListing(
        in.text(WireBounds.NAME_BYTES), in.natural(), in.natural(), in.natural(), in.natural());
  }

  static void write(FieldWriter out, JointListing row) {
    out.text(row.stateDict(), WireBounds.NAME_BYTES)
        .text(row.round(), WireBounds.NAME_BYTES)
        .i32(row.writers())
        .u8(row.writing() ? 1 : 0)
        .list(row.missing(), WireBounds.WRITERS, FieldWriter::i32)
        .i64(row.ageMs());
  }

  static JointListing joint(FieldReader in) {
    return new JointListing(
        in.text(WireBounds.NAME_BYTES),
        in.text(WireBounds.NAME_BYTES),
        in.i32(),
        in.bool(),
        in.list(WireBounds.WRITERS, Integer.BYTES, FieldReader::i32),
        in.natural());
  }

  static void write(FieldWriter out, HeldListing row) {
    out.text(row.stateDict(), WireBounds.NAME_BYTES);
    write(out, row.rank());
    out.i64(row.version()).i64(row.tensors()).i64(row.sizeBytes());
  }

  static HeldListing held(FieldReader in) {
    return new HeldListing(
        in.text(WireBounds.NAME_BYTES), rank(in), in.natural(), in.natural(), in.natural());
  }

  static void write(FieldWriter out, HolderRank rank) {
    out.text(rank.run(), WireBounds.NAME_BYTES)
        .i32(rank.holders())
        .i32(rank.holder())
        .i32(rank.replicas());
  }

  static HolderRank rank(FieldReader in) {
    try {
      return new HolderRank(in.text(WireBounds.NAME_BYTES), in.i32(), in.i32(), in.i32());
    } catch (UsageException e) {
      throw new CorruptException(e.getMessage(), e);
    }
  }

  static void write(FieldWriter out, VolumeFigures figures) {
    out.i64(figures.capacityBytes())
        .i64(figures.freeBytes())
        .i64(figures.largestGapBytes())
        .i64(figures.keptVersions())
        .i64(figures.clients())
        .i64(figures.puts())
        .i64(figures.leases())
        .i64(figures.tensors())
        .i64(figures.stateDicts())
        .i64(figures.versions());
  }

  static VolumeFigures figures(FieldReader in) {
    return new VolumeFigures(
        in.natural(),
        in.natural(),
        in.natural(),
        in.natural(),
        in.natural(),
        in.natural(),
        in.natural(),
        in.natural(),
        in.natural(),
        in.natural());
  }
}
