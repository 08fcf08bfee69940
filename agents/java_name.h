/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* java_name.h -- translation of the JVM's names of classes and methods into Java source
 * notation. */
#ifndef AGENTS_JAVA_NAME_H
#define AGENTS_JAVA_NAME_H

/*
 * Return, for example, "java.lang.String.indexOf(int, long[])" for "Ljava/lang/String;", "indexOf"
 * and "(I[J)V". Text that is not a valid signature is copied unchanged. The caller frees the
 * result; NULL: out of memory.
 */
char *opa_java_name(const char *class_signature, const char *method, const char *signature);

/* Return, for example, "java/lang/String.java" for "Ljava/lang/String;" and "String.java". The
 * caller frees the result; NULL: out of memory. */
char *opa_java_source(const char *class_signature, const char *file);

#endif
