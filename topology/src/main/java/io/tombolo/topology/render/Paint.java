// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

/** Puts colour on text, where there is any. */
public interface Paint {
  /** Leaves text as it is. */
  Paint NONE =
      new Paint() {
        @Override
        public String cluster(int index, String text) {
          return text;
        }

        @Override
        public String faint(String text) {
          return text;
        }

        @Override
        public String bold(String text) {
          return text;
        }
      };

  /** {@code text} in the colour of cluster {@code index}. */
  String cluster(int index, String text);

  /** {@code text} that matters less. */
  String faint(String text);

  /** {@code text} as a title. */
  String bold(String text);
}
