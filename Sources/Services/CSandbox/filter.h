#pragma once
#include <stdbool.h>

// Restricts all threads to the system calls of a decoder; any other one ends the process. With `opens_fonts`
// these include opening files for reading and starting threads.
bool kf_sandbox_install_filter(bool opens_fonts);
