// Checks of the pixel loops in C, so that they run where no Swift does: cross-compiled, under an emulator.
#pragma once

#include <CKernels.h>

/// One loop, put to random images of every width from 1 to 70.
typedef struct {
    const char *_Nonnull name;
    /// Adds to `cases` what it tried; gives how often the bytes at `level` were not those of the plain loop.
    long (*_Nonnull run)(kf_level level, long *_Nonnull cases);
} kf_check;

/// How many checks there are.
int kf_check_count(void);

/// The check at `index`, from 0.
const kf_check *_Nonnull kf_check_at(int index);
