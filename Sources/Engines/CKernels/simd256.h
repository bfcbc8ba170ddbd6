// Vectors of two 16-byte blocks: the same names, for AVX2. See simd_end.h.
#define KF_NAME(name) name##_avx2
#define KF_TARGET KF_AVX2_TARGET
#define V __m256i
#define V_BYTES 32
#define V_BLOCKS 2
#define v_load(p) _mm256_loadu_si256((const __m256i *)(p))
#define v_store(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define v_load_pairs(p)                                                                                      \
    _mm256_permutevar8x32_epi32(                                                                             \
        _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)(p))), _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1))
#define v_add_blocks(v) _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1))
#define v_low_blocks(a, b) _mm256_permute2x128_si256(a, b, 0x20)
#define v_high_blocks(a, b) _mm256_permute2x128_si256(a, b, 0x31)
#define v_zero() _mm256_setzero_si256()
#define v_set8(n) _mm256_set1_epi8(n)
#define v_set16(n) _mm256_set1_epi16(n)
#define v_set32(n) _mm256_set1_epi32(n)
#define v_set64(n) _mm256_set1_epi64x(n)
#define v_sub8 _mm256_sub_epi8
#define v_adds8 _mm256_adds_epu8
#define v_subs8 _mm256_subs_epu8
#define v_min8 _mm256_min_epu8
#define v_average8 _mm256_avg_epu8
#define v_equal8 _mm256_cmpeq_epi8
#define v_sum8 _mm256_sad_epu8
#define v_add16 _mm256_add_epi16
#define v_sub16 _mm256_sub_epi16
#define v_add32 _mm256_add_epi32
#define v_sub32 _mm256_sub_epi32
#define v_min16 _mm256_min_epi16
#define v_greater32 _mm256_cmpgt_epi32
#define v_add64 _mm256_add_epi64
#define v_and _mm256_and_si256
#define v_and_not _mm256_andnot_si256
#define v_xor _mm256_xor_si256
#define v_or _mm256_or_si256
#define v_madd16 _mm256_madd_epi16
#define v_mullo16 _mm256_mullo_epi16
#define v_mulhi16 _mm256_mulhi_epu16
#define v_shift_right16 _mm256_srl_epi16
#define v_shift_right32 _mm256_sra_epi32
#define v_low8 _mm256_unpacklo_epi8
#define v_high8 _mm256_unpackhi_epi8
#define v_low16 _mm256_unpacklo_epi16
#define v_high16 _mm256_unpackhi_epi16
#define v_pack32 _mm256_packs_epi32
#define v_pack16 _mm256_packus_epi16
#define v_shuffle_low16 _mm256_shufflelo_epi16
#define v_shuffle_high16 _mm256_shufflehi_epi16
#define v_shuffle32 _mm256_shuffle_epi32
// The first of each pair of bytes minus the second.
#define v_difference8(pairs) _mm256_maddubs_epi16(pairs, _mm256_set1_epi16((int16_t)0xFF01))
#define v_shift_right_zero32 _mm256_srl_epi32
#define v_shift_left32 _mm256_sll_epi32
#define v_repeat(p) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p)))
#define v_equal32 _mm256_cmpeq_epi32
#define v_shift_left16 _mm256_sll_epi16
#define v_shift_right_signed16 _mm256_sra_epi16
#define v_low32 _mm256_unpacklo_epi32
#define v_high32 _mm256_unpackhi_epi32
#define v_low64 _mm256_unpacklo_epi64
#define v_high64 _mm256_unpackhi_epi64
#define v_pack_signed16 _mm256_packs_epi16
#define v_mulhi_signed16 _mm256_mulhi_epi16
#define v_mask8 _mm256_movemask_epi8
#define V_ALL -1
