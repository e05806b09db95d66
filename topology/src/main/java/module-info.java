/** What is there and who belongs together; start at {@link io.tombolo.topology.Clustering}. */
module io.tombolo.topology {
  requires transitive io.tombolo.base;

  exports io.tombolo.topology;
}
