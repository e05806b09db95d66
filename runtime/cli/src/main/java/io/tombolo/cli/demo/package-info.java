// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo demo}: a data-parallel training on real data over clusters of several vendors, and
 * the checks that say whether it was right.
 *
 * <p>Start at {@link io.tombolo.cli.demo.DemoCommand}, which starts one {@link
 * io.tombolo.cli.demo.DemoRank} per rank and listens to their {@link
 * io.tombolo.cli.demo.RankReport}s.
 */
package io.tombolo.cli.demo;
