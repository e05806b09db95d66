// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import java.util.List;

/** Contributes vendors; found by {@link java.util.ServiceLoader}. */
public interface VendorProvider {
  /** The vendors this artefact knows, whether or not they are available here. */
  List<Vendor> vendors();
}
