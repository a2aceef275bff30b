// Variables of threads, as a library must have them that lives without memory: glibc ends the process when it has none
// for a library's variables at their first use in a thread, unless they lie in the thread's static block. That has 1.6
// KB to spare for all libraries that are loaded later, so what is large stays behind a pointer.
#pragma once

#define ETZEL_THREAD_LOCAL [[gnu::tls_model("initial-exec")]] thread_local
