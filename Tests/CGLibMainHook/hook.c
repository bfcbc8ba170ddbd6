#include "CGLibMainHook.h"
