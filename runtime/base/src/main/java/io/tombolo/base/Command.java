// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import java.util.concurrent.Callable;

/**
 * A command of the {@code tombolo} launcher, found by {@link java.util.ServiceLoader}.
 *
 * <p>Implementations carry picocli's annotations; this module does not depend on picocli. {@link
 * #call()} returns the process's exit code.
 */
public interface Command extends Callable<Integer> {}
