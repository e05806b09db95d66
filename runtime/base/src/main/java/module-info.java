// SPDX-License-Identifier: Apache-2.0
/** The words every other module shares; start at {@link io.tombolo.base}. */
module io.tombolo.base {
  requires transitive com.google.common;
  requires org.slf4j;

  exports io.tombolo.base;
  exports io.tombolo.base.errors;

  uses io.tombolo.base.Command;
}
