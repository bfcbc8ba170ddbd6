#pragma once
#include <stdbool.h>

// Restricts all threads to the system calls of a decoder; any other one ends the process.
bool sandbox_install_filter(void);
