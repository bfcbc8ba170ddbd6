// The filters of PNG (W3C PNG, section 9), taken off rows and put on them. See CKernels.h.
#pragma once

#include "CKernels.h"
