// SPDX-License-Identifier: Apache-2.0
/**
 * {@code tombolo doctor}: is this host fit for a job, and if not, what helps.
 *
 * <p>Start at {@link io.tombolo.cli.doctor.DoctorCommand}.
 */
package io.tombolo.cli.doctor;
