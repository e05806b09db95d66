// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What is made on the devices of one emulated vendor in this process: how many of each kind there
 * are, and which is not to be had. In a file that the emulation has mapped, {@code emu_thing} of
 * its {@code device_engine.h}; for one thread.
 */
final class EmulatedThings implements AutoCloseable {
  /** The setting that names the folder of the files, which are called like their vendors. */
  static final String SETTING = "emu_faults";

  /** As the emulation numbers them. */
  enum Kind {
    DEVICE_BLOCKS(0),
    LOCKED_BLOCKS(1),
    PINNED_RANGES(2),
    STREAMS(3),
    EVENTS(4);

    private final long number;

    Kind(long number) {
      this.number = number;
    }

    private long at() {
      return number * ROW_BYTES;
    }
  }

  private static final int ROW_BYTES = 2 * Long.BYTES;

  private final FileChannel file;

  private EmulatedThings(FileChannel file) {
    this.file = file;
  }

  /** Makes the file for {@code vendor} in {@code folder}, by which nothing fails. */
  static void make(Path folder, String vendor) throws IOException {
    Files.write(folder.resolve(vendor), new byte[Kind.values().length * ROW_BYTES]);
  }

  /** Those of {@code vendor}, whose file is in {@code folder}. */
  static EmulatedThings of(Path folder, String vendor) throws IOException {
    return new EmulatedThings(
        FileChannel.open(
            folder.resolve(vendor), StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  /** From now on the {@code nth} of that kind fails, and no other; 0: none. */
  void fail(Kind kind, long nth) throws IOException {
    ByteBuffer word = word().putLong(0, nth);
    while (word.hasRemaining()) {
      file.write(word, kind.at() + word.position());
    }
  }

  /** How many of that kind have yet to be made until one fails; 0 once it has. */
  long due(Kind kind) throws IOException {
    return read(kind.at());
  }

  /** How many of that kind there are. */
  long living(Kind kind) throws IOException {
    return read(kind.at() + Long.BYTES);
  }

  private long read(long at) throws IOException {
    ByteBuffer word = word();
    while (word.hasRemaining()) {
      if (file.read(word, at + word.position()) < 0) {
        throw new IOException("the file ends before byte " + at);
      }
    }
    return word.getLong(0);
  }

  private static ByteBuffer word() {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
