// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import java.nio.file.InvalidPathException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * What an option wanted instead of the value it got, in words for people: the parser itself speaks
 * of Java's types.
 */
final class Expectation {
  private Expectation() {}

  /** {@code --iters wants a whole number, for example 20; got 'x'}; empty if it is not that. */
  static Optional<String> of(ParameterException error) {
    ArgSpec argument = error.getArgSpec();
    if (isAboutPath(error)) {
      return Optional.of(
          "the locale of this process cannot spell the path '"
              + error.getValue()
              + "': set LC_ALL=C.UTF-8, or one of your language with UTF-8");
    }
    if (argument == null || error.getValue() == null || !isAboutType(error)) {
      return Optional.empty();
    }
    return kind(argument.type())
        .map(
            kind ->
                name(argument)
                    + " wants "
                    + kind
                    + example(argument)
                    + "; got '"
                    + error.getValue()
                    + "'");
  }

  /** The parser has no class of its own for this. */
  private static boolean isAboutType(ParameterException error) {
    return String.valueOf(error.getMessage()).startsWith("Invalid value");
  }

  /** The parser keeps what a converter threw only as words. */
  private static boolean isAboutPath(ParameterException error) {
    return String.valueOf(error.getMessage()).contains(InvalidPathException.class.getName());
  }

  private static Optional<String> kind(Class<?> type) {
    if (type.isEnum()) {
      return Optional.of(
          "one of "
              + Arrays.stream(type.getEnumConstants())
                  .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                  .collect(Collectors.joining(", ")));
    }
    return switch (type.getName()) {
      case "int", "long", "java.lang.Integer", "java.lang.Long" -> Optional.of("a whole number");
      case "float", "double", "java.lang.Float", "java.lang.Double" -> Optional.of("a number");
      default -> Optional.empty();
    };
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  /** What it has if nothing is said is a good example, except where all choices are listed. */
  private static String example(ArgSpec argument) {
    String usual = argument.defaultValue();
    return argument.type().isEnum() || usual == null ? "" : ", for example " + usual;
  }
}
