#include "planted.h"

#include <stdlib.h>
#include <string.h>

int planted(const uint8_t *bytes, size_t count) {
    if (count < 4) return 0;
    uint8_t *copy = malloc(count);
    if (copy == NULL) return 0;
    memcpy(copy, bytes, count);
    int result = 0;
    if (bytes[0] == 'W' && bytes[1] == 'r' && bytes[2] == 'e' && bytes[3] == 'n')
        result = ((volatile uint8_t *)copy)[count];
    free(copy);
    return result;
}
