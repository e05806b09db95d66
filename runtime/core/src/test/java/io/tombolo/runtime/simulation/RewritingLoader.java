// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.UnaryOperator;

/** Loads the project's own classes a second time, rewritten. */
final class RewritingLoader extends ClassLoader {
  private static final String OURS = "io.tombolo.";
  private static final String SIMULATION = RewritingLoader.class.getPackageName() + ".";

  private final UnaryOperator<byte[]> change;

  static {
    registerAsParallelCapable();
  }

  /** One that makes {@code change} to classes before they are rewritten. */
  RewritingLoader(UnaryOperator<byte[]> change) {
    super(RewritingLoader.class.getClassLoader());
    this.change = change;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS) || name.startsWith(SIMULATION)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known != null ? known : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] code = Rewriter.rewrite(change.apply(in.readAllBytes()));
      Class<?> neighbour = getParent().loadClass(name);
      return defineClass(name, code, 0, code.length, neighbour.getProtectionDomain());
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }
}
