package io.tombolo.topology.launch;

/**
 * A value and the environment variable it is from.
 *
 * @param value the value
 * @param origin the variable's name
 */
public record Sourced<T>(T value, String origin) {
  @Override
  public String toString() {
    return value + " (" + origin + ")";
  }
}
