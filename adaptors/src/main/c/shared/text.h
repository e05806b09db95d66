// SPDX-License-Identifier: Apache-2.0
/* Text of somebody else's, on its way to Java: JNI takes modified UTF-8 and checks nothing. */
#ifndef TOMBOLO_TEXT_H
#define TOMBOLO_TEXT_H

/* Makes every byte that is not part of a character in modified UTF-8 a question mark. */
void text_mend(char* text);

#endif
