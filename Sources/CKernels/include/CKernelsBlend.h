// Compositing and colour: loops over premultiplied RGBA of 8 bits. See CKernels.h.
#pragma once

#include "CKernels.h"
