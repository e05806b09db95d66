// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** An implementation of an interface that answers some calls itself, and passes on the others. */
public final class StandIn {
  private StandIn() {}

  /** What is answered to a call. */
  public interface Answers {
    Object to(Method method, Object[] arguments) throws Throwable;
  }

  public static <T> T of(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answers.to(method, arguments)));
  }

  /** What {@code real} answers, which throws what it throws. */
  public static Object pass(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
