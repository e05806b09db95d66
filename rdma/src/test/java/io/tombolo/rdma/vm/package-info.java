// SPDX-License-Identifier: Apache-2.0
/**
 * Tests over real verbs, in a virtual machine with two Soft-RoCE devices; start at {@link
 * io.tombolo.rdma.vm.SoftRoceTest}. The group {@code rdma-vm} is run by {@code .ci/rdma-vm/tests}.
 */
package io.tombolo.rdma.vm;
