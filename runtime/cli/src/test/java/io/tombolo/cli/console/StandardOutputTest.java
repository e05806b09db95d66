// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.console;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.expectThrows;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.testng.annotations.Test;

public class StandardOutputTest {

  private static OutputStream full() {
    return new OutputStream() {
      @Override
      public void write(int value) throws IOException {
        throw new IOException("No space left on device");
      }
    };
  }

  /** As commands write: a writer on a print stream, both of which keep errors to themselves. */
  @Test
  public void shouldTellThatOutputIsLostThroughWritersThatWouldNot() {
    PrintStream stream = new PrintStream(new StandardOutput(full()), true, StandardCharsets.UTF_8);
    PrintWriter writer = new PrintWriter(stream, true, StandardCharsets.UTF_8);
    UncheckedIOException error =
        expectThrows(UncheckedIOException.class, () -> writer.println("a line"));
    assertEquals(error.getMessage(), "cannot write to standard output: No space left on device");
  }
}
