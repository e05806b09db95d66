/** Emulated vendors, for machines without accelerators. */
module io.tombolo.emulated {
  requires io.tombolo.adaptors;
}
