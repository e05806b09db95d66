// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Standard output that says when it is lost. A {@link PrintStream} keeps errors to itself: a full
 * disk would end with exit code 0, and a benchmark would go on for a reader that has left. What is
 * thrown here ends the command, and with it the job that it runs.
 */
public final class StandardOutput extends OutputStream {
  private final OutputStream out;

  StandardOutput(OutputStream out) {
    this.out = out;
  }

  /** A stream on standard output, in UTF-8 whatever the locale says. */
  public static PrintStream open() {
    return new PrintStream(
        new StandardOutput(new FileOutputStream(FileDescriptor.out)), true, StandardCharsets.UTF_8);
  }

  @Override
  public void write(int value) {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to standard output: " + e.getMessage(), e);
    }
  }
}
