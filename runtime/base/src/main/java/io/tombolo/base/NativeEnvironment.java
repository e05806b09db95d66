// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UnavailableException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The environment as native code of this process sees it with {@code getenv}; {@link System#getenv}
 * stays as it was when Java first looked.
 *
 * <p>{@code setenv} may move what another thread's {@code getenv} is reading. So variables are
 * exported before the first vendor library is opened, while no thread but the caller's is in native
 * code that could ask for them. One call at a time.
 */
public final class NativeEnvironment {
  /** What the JVM itself decodes arguments and variables with. */
  private static final Charset PLATFORM =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  static {
    NativeLibrary.load(NativeEnvironment.class, "tombolo_base");
  }

  private NativeEnvironment() {}

  /**
   * Sets {@code variables}; those that have the value already are left alone, so that a second call
   * changes nothing.
   *
   * @throws ResourceException naming the variable, if there is no memory for it
   */
  public static synchronized void export(Map<String, String> variables) {
    variables.forEach(
        (name, value) -> {
          checkArgument(
              !name.isEmpty() && name.indexOf('=') < 0, "'%s' cannot be a variable's name", name);
          if (!get(name).equals(Optional.of(value)) && set0(bytes(name), bytes(value)) != 0) {
            throw new ResourceException("no memory to set the environment variable " + name);
          }
        });
  }

  /** The value of {@code name} in this process's C environment. */
  public static Optional<String> get(String name) {
    return Optional.ofNullable(get0(bytes(name))).map(value -> new String(value, PLATFORM));
  }

  /**
   * Becomes the program {@code command}, with this process's number, open files and C environment;
   * does not come back.
   *
   * @throws UnavailableException if the program cannot be started
   */
  public static void exec(List<String> command) {
    checkArgument(!command.isEmpty(), "no program is named");
    ByteArrayOutputStream words = new ByteArrayOutputStream();
    command.forEach(word -> words.writeBytes(bytes(word)));
    String problem = exec0(words.toByteArray(), command.size());
    throw new UnavailableException(
        "cannot run '" + command.get(0) + "': " + problem + "; is it on the PATH?");
  }

  /** As C wants it: with a NUL at the end, and none before. */
  private static byte[] bytes(String text) {
    checkArgument(text.indexOf('\0') < 0, "a NUL cannot be in '%s'", text);
    return (text + '\0').getBytes(PLATFORM);
  }

  private static native int set0(byte[] name, byte[] value);

  private static native byte[] get0(byte[] name);

  private static native String exec0(byte[] words, int count);
}
