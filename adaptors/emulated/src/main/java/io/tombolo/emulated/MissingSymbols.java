// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import io.tombolo.base.NativeLibrary;
import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * Libraries that lack functions, as older releases do: the symbols that {@value #VARIABLE} names,
 * separated by commas, are hidden in the copy that is loaded, as if it had been linked so. What the
 * library itself calls stays as it is.
 *
 * <p>Offsets are those of 64-bit ELF files, elf(5).
 */
final class MissingSymbols {
  static final String VARIABLE = "TOMBOLO_EMU_MISSING";

  private static final int SECTIONS_OFFSET = 0x28;
  private static final int SECTION_BYTES = 0x3A;
  private static final int SECTION_COUNT = 0x3C;
  private static final int TYPE = 4;
  private static final int OFFSET = 24;
  private static final int SIZE = 32;
  private static final int LINK = 40;
  private static final int DYNAMIC_SYMBOLS = 11;

  private static final int SYMBOL_BYTES = 24;
  private static final int VISIBILITY = 5;
  private static final byte HIDDEN = 2;

  private MissingSymbols() {}

  /** The symbols that {@code environment} wants to be missing, in whichever library they are. */
  static ImmutableSet<String> of(Map<String, String> environment) {
    return ImmutableSet.copyOf(
        Splitter.on(',')
            .trimResults()
            .omitEmptyStrings()
            .split(environment.getOrDefault(VARIABLE, "")));
  }

  /** Loads the library called {@code name} of this artefact without {@code symbols}. */
  static void load(String name, Set<String> symbols) {
    Path file = NativeLibrary.extract(MissingSymbols.class, name);
    try {
      try {
        byte[] library = Files.readAllBytes(file);
        hide(ByteBuffer.wrap(library).order(ByteOrder.nativeOrder()), symbols);
        Files.write(file, library);
        System.load(file.toString());
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UnavailableException(
          "cannot take " + symbols + " out of the library " + name + " (" + VARIABLE + "): " + e,
          e);
    }
  }

  /**
   * Hides {@code symbols} in the dynamic symbol table of {@code elf}, which is changed in place.
   */
  static void hide(ByteBuffer elf, Set<String> symbols) {
    int table = dynamicSymbols(elf);
    int from = (int) elf.getLong(table + OFFSET);
    int end = from + (int) elf.getLong(table + SIZE);
    int names = (int) elf.getLong(section(elf, elf.getInt(table + LINK)) + OFFSET);
    for (int symbol = from; symbol < end; symbol += SYMBOL_BYTES) {
      if (symbols.contains(text(elf, names + elf.getInt(symbol)))) {
        elf.put(symbol + VISIBILITY, HIDDEN);
      }
    }
  }

  private static int dynamicSymbols(ByteBuffer elf) {
    for (int index = 0; index < elf.getShort(SECTION_COUNT); index++) {
      if (elf.getInt(section(elf, index) + TYPE) == DYNAMIC_SYMBOLS) {
        return section(elf, index);
      }
    }
    throw new IllegalArgumentException("a library without dynamic symbols");
  }

  /** Where the header of section {@code index} is. */
  private static int section(ByteBuffer elf, int index) {
    return (int) elf.getLong(SECTIONS_OFFSET) + index * elf.getShort(SECTION_BYTES);
  }

  private static String text(ByteBuffer elf, int at) {
    int end = at;
    while (elf.get(end) != 0) {
      end++;
    }
    byte[] bytes = new byte[end - at];
    elf.get(at, bytes);
    return new String(bytes, StandardCharsets.US_ASCII);
  }
}
