// Runs all checks at all levels and prints the number of cases. Fails if a level differs or has no cases.
#include "CKernelsCross.h"
#include <stdio.h>

int main(void) {
    static const char *const levels[] = {"scalar", "sse2", "avx2"};
    long failures = 0;
    for (int level = KF_SCALAR; level <= KF_AVX2; level++) {
        if (!kf_supports((kf_level)level)) {
            printf("%-7s not on this processor\n", levels[level]);
            continue;
        }
        for (int index = 0; index < kf_check_count(); index++) {
            const kf_check *check = kf_check_at(index);
            long cases = 0;
            const long wrong = check->run((kf_level)level, &cases);
            printf("%-7s %-18s %7ld cases, %ld wrong\n", levels[level], check->name, cases, wrong);
            failures += wrong + (cases == 0);
        }
    }
    return failures != 0;
}
