/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* java_name.h -- what a Java virtual machine calls classes and methods, as its programmers write it. */
#ifndef AGENTS_JAVA_NAME_H
#define AGENTS_JAVA_NAME_H

/*
 * "Ljava/lang/String;", "indexOf", "(I[J)V": "java.lang.String.indexOf(int, long[])". What is no signature stays as it is. To
 * be freed; NULL: out of memory.
 */
char *opa_java_name(const char *class_signature, const char *method, const char *signature);

/* "Ljava/lang/String;", "String.java": "java/lang/String.java". To be freed; NULL: out of memory. */
char *opa_java_source(const char *class_signature, const char *file);

#endif
