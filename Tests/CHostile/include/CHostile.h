// What code that has taken over a decoder may try.
#pragma once
#include <stddef.h>

// Remembers the parent, before calls are restricted.
void hostile_prepare(void);

// Does what `name` says; returns only if the system allows it. Returns -1 for an unknown name.
int hostile_act(const char *_Nonnull name);

// Sends a packet to the parent.
void hostile_send(const void *_Nonnull bytes, size_t count);

// Changes the start of the arena for ever.
void hostile_rewrite_arena(void);
