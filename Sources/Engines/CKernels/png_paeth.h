#pragma once

#include <stdint.h>

/// Returns left, up or corner, whichever is nearest to left + up - corner; the first of equals (W3C PNG,
/// 9.4). Without branches, which noise would mispredict.
static inline uint8_t paeth(int32_t left, int32_t up, int32_t corner) {
    const int32_t across = up - corner, down = left - corner, both = across + down;
    const int32_t to_left = across < 0 ? -across : across, to_up = down < 0 ? -down : down;
    const int32_t to_corner = both < 0 ? -both : both;
    const int32_t nearer = to_up <= to_corner ? up : corner;
    const int32_t other = to_up <= to_corner ? to_up : to_corner;
    return (uint8_t)(to_left <= other ? left : nearer);
}
