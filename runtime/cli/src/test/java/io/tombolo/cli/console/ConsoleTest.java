// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.console;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class ConsoleTest {
  private StringWriter text;

  @BeforeMethod
  public void clear() {
    text = new StringWriter();
  }

  @Test
  public void shouldWritePlainLinesWhereThereIsNoTerminal() {
    Console console = new Console(new PrintWriter(text), false);
    console.progress("half way");
    console.line("@|green done|@");
    assertEquals(text.toString().strip(), "done");
  }

  @Test
  public void shouldReplaceProgressOnATerminal() {
    Console console = new Console(new PrintWriter(text), true);
    console.progress("half way");
    console.progress("nearly");
    console.line("@|green done|@");
    assertTrue(text.toString().contains("half way\r\u001b[Knearly\r\u001b[K"), text.toString());
    assertTrue(text.toString().contains("\u001b[32mdone"), text.toString());
    assertEquals(text.toString().lines().filter(line -> line.endsWith("m")).count(), 1);
  }

  @Test
  public void shouldAlignColumns() {
    Console console = new Console(new PrintWriter(text), false);
    new Table("a", "why").row(1, "x").row("long", "y").print(console);
    assertEquals(
        text.toString().lines().toList(), List.of("  a     why", "  1     x", "  long  y"));
  }

  @Test
  public void shouldWriteFiguresForPeople() {
    assertEquals(Figures.bytes(1023), "1023 B");
    assertEquals(Figures.bytes(1536), "1.5 KiB");
    assertEquals(Figures.bytes(3L << 40), "3.0 TiB");
    assertEquals(Figures.grouped(1_234_567), "1 234 567");
    assertEquals(Figures.percent(0.9691), "96.9 %");
    assertFalse(Figures.seconds(1_250_000_000L).isEmpty());
  }
}
