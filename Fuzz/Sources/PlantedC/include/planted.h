#pragma once
#include <stddef.h>
#include <stdint.h>

/// Reads behind its memory when the bytes begin with a word that no seed has.
int planted(const uint8_t *bytes, size_t count);
