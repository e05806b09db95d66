// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.base.NativeMemory;
import io.tombolo.runtime.work.Work;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Works that C has handles of, in places that C gives out. For each place C has a record in native
 * memory ({@code slots.c}), where it finds the address of the work's state word and the work's
 * number: with these it knows of the end without asking Java. A work stays reachable, and its word
 * readable, as long as it has its place.
 *
 * <p>C gives a place to one work at a time, and hands the place to other threads itself.
 */
final class WorkSlots {
  /** Places in a chunk. */
  static final int CHUNK = 1024;

  private static final int CHUNKS = 1024;
  private static final int RECORD_BYTES = 32;
  private static final int ADDRESS_AT = 0;
  private static final int SEQUENCE_AT = 8;

  private final AtomicReferenceArray<Chunk> chunks = new AtomicReferenceArray<>(CHUNKS);

  private record Chunk(
      ByteBuffer records,
      AtomicReferenceArray<Work> works,
      AtomicReferenceArray<OpenCommunicator> owners) {}

  /** C has made {@link #CHUNK} more places, with their records at {@code address}. */
  void addChunk(int number, long address) {
    chunks.set(
        number,
        new Chunk(
            NativeMemory.viewOf(address, CHUNK * RECORD_BYTES),
            new AtomicReferenceArray<>(CHUNK),
            new AtomicReferenceArray<>(CHUNK)));
  }

  /** Puts {@code work} of {@code owner} in place {@code slot}. */
  void put(int slot, OpenCommunicator owner, Work work) {
    Chunk chunk = chunks.get(slot / CHUNK);
    int place = slot % CHUNK;
    chunk.works().set(place, work);
    chunk.owners().set(place, owner);
    chunk.records().putLong(place * RECORD_BYTES + ADDRESS_AT, work.stateAddress());
    chunk.records().putLong(place * RECORD_BYTES + SEQUENCE_AT, work.sequence());
  }

  /** The work in place {@code slot}. */
  Work work(int slot) {
    return chunks.get(slot / CHUNK).works().get(slot % CHUNK);
  }

  /** Whose work is in place {@code slot}. */
  OpenCommunicator owner(int slot) {
    return chunks.get(slot / CHUNK).owners().get(slot % CHUNK);
  }

  /** Place {@code slot} is empty again. */
  void clear(int slot) {
    Chunk chunk = chunks.get(slot / CHUNK);
    chunk.works().set(slot % CHUNK, null);
    chunk.owners().set(slot % CHUNK, null);
  }
}
