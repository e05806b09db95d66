package io.tombolo.runtime.exec;

/**
 * Memory that is lent to one task after the other.
 *
 * @param stage for messages and arithmetic
 * @param scratch device memory
 * @param packed device memory for small calls that are made one
 */
record Workplace(Stage stage, Arena scratch, Arena packed) implements AutoCloseable {
  @Override
  public void close() {
    stage.close();
    scratch.close();
    packed.close();
  }
}
