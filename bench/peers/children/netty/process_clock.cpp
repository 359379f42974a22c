// SPDX-License-Identifier: MIT
// The CPU time of the whole process, in nanoseconds, for Usage.java.
#include <jni.h>

#include <ctime>

extern "C" JNIEXPORT jlong JNICALL Java_detent_peers_Usage_cpuNanoseconds(JNIEnv*, jclass) {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);  // cannot fail, because the clock exists and the address is valid
  return jlong{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}
