// Checks of the pixel kernels in C, so that they run without Swift: cross-compiled, in an emulator.
#pragma once

#include <CKernels.h>

/// A check of one kernel with random images of every width from 1 to 70.
typedef struct {
    const char *_Nonnull name;
    /// Adds the number of cases to `cases`; returns how often `level` and KF_SCALAR differed.
    long (*_Nonnull run)(kf_level level, long *_Nonnull cases);
} kf_check;

/// The number of checks.
int kf_check_count(void);

/// The check at `index`, from 0.
const kf_check *_Nonnull kf_check_at(int index);
