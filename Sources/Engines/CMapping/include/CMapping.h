// Protects readers of mapped files against files that become shorter.
//
// Reading a mapped page that its file no longer has, or that its disk cannot read, raises SIGBUS, which ends
// the process. In a protected range, the pages from that address to the end become zeros instead. Other
// signals go to the handler that was installed before.
#pragma once

#include <stddef.h>

// Protects a mapping. Returns its number, or -1 if too many are protected. Safe from any thread.
int kf_mapping_protect(void *start, size_t length);

// Ends the protection; call it before the mapping is removed.
void kf_mapping_release(int number);
