// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.memory;

/**
 * How processes of one host find each other's memory files. Where process numbers mean something
 * else, as in another container, the inode does not match.
 *
 * @param pid the process that has it open
 * @param descriptor the number it has there
 * @param inode what tells it from all other files of memory
 * @param sizeBytes its size
 */
public record MemoryFileName(long pid, int descriptor, long inode, long sizeBytes) {}
