#pragma once
#include <stddef.h>
#include <stdint.h>

/// Reads out of bounds if the bytes start with a word that is in no seed.
int planted(const uint8_t *bytes, size_t count);
