/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * java_name.h -- conversion of the JVM's names of classes and methods to the notation of Java
 * source.
 */
#ifndef AGENTS_JAVA_NAME_H
#define AGENTS_JAVA_NAME_H

/*
 * Return the Java notation of a method, for example "java.lang.String.indexOf(int, long[])" for
 * "Ljava/lang/String;", "indexOf" and "(I[J)V". Invalid signatures are copied unchanged. The
 * caller frees the result. NULL: out of memory.
 */
char *opa_java_name(const char *class_signature, const char *method, const char *signature);

/* Return the path of a class's source file, for example "java/lang/String.java" for
 * "Ljava/lang/String;" and "String.java". The caller frees the result. NULL: out of memory. */
char *opa_java_source(const char *class_signature, const char *file);

#endif
