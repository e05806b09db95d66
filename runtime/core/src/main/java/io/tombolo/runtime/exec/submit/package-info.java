// SPDX-License-Identifier: Apache-2.0
/**
 * From a call to an operation: how calls come in, start by their streams, and end.
 *
 * <p>Start at {@link io.tombolo.runtime.exec.submit.SubmissionQueue}. A {@link
 * io.tombolo.runtime.exec.submit.Submission} goes in, a {@link
 * io.tombolo.runtime.exec.submit.SubmittedOperation} comes out, which is also the caller's {@link
 * io.tombolo.runtime.work.Work}. {@code Admission} says what may come in, {@code BackPressure}
 * holds callers while too much is under way, and {@link io.tombolo.runtime.exec.submit.Completions}
 * has how operations end. {@link io.tombolo.runtime.exec.submit.Doorbell}s join them to the stream,
 * in whose order {@code StreamOrdering} keeps them; {@link
 * io.tombolo.runtime.exec.submit.PassThrough} is the short way of calls that block.
 */
package io.tombolo.runtime.exec.submit;
