// Vectors of 16 bytes: the names that the *_simd.h files use, for SSE2. See simd_end.h.
#define KF_NAME(name) name##_sse2
#define KF_TARGET
#define V __m128i
#define V_BYTES 16
#define V_BLOCKS 1
#define v_load(p) _mm_loadu_si128((const __m128i *)(p))
#define v_store(p, v) _mm_storeu_si128((__m128i *)(p), v)
// V_BLOCKS pairs of 16-bit numbers, each repeated in its block.
#define v_load_pairs(p) _mm_set1_epi32(kf_pair_at(p))
#define v_add_blocks(v) (v)
#define v_low_blocks(a, b) (a)
#define v_high_blocks(a, b) (b)
#define v_zero() _mm_setzero_si128()
#define v_set8(n) _mm_set1_epi8(n)
#define v_set16(n) _mm_set1_epi16(n)
#define v_set32(n) _mm_set1_epi32(n)
#define v_set64(n) _mm_set1_epi64x(n)
#define v_sub8 _mm_sub_epi8
#define v_adds8 _mm_adds_epu8
#define v_subs8 _mm_subs_epu8
#define v_min8 _mm_min_epu8
#define v_average8 _mm_avg_epu8
#define v_equal8 _mm_cmpeq_epi8
#define v_sum8 _mm_sad_epu8
#define v_add16 _mm_add_epi16
#define v_sub16 _mm_sub_epi16
#define v_add32 _mm_add_epi32
#define v_sub32 _mm_sub_epi32
#define v_min16 _mm_min_epi16
#define v_greater32 _mm_cmpgt_epi32
#define v_add64 _mm_add_epi64
#define v_and _mm_and_si128
#define v_and_not _mm_andnot_si128
#define v_xor _mm_xor_si128
#define v_or _mm_or_si128
#define v_madd16 _mm_madd_epi16
#define v_mullo16 _mm_mullo_epi16
#define v_mulhi16 _mm_mulhi_epu16
#define v_shift_right16 _mm_srl_epi16
#define v_shift_right32 _mm_sra_epi32
#define v_low8 _mm_unpacklo_epi8
#define v_high8 _mm_unpackhi_epi8
#define v_low16 _mm_unpacklo_epi16
#define v_high16 _mm_unpackhi_epi16
#define v_pack32 _mm_packs_epi32
#define v_pack16 _mm_packus_epi16
#define v_shuffle_low16 _mm_shufflelo_epi16
#define v_shuffle_high16 _mm_shufflehi_epi16
#define v_shuffle32 _mm_shuffle_epi32
// The first of each pair of bytes minus the second.
#define v_difference8(pairs) \
    _mm_sub_epi16(_mm_and_si128(pairs, _mm_set1_epi16(255)), _mm_srli_epi16(pairs, 8))
#define v_shift_right_zero32 _mm_srl_epi32
#define v_shift_left32 _mm_sll_epi32
#define v_repeat(p) _mm_loadu_si128((const __m128i *)(p))
#define v_equal32 _mm_cmpeq_epi32
#define v_shift_left16 _mm_sll_epi16
#define v_shift_right_signed16 _mm_sra_epi16
#define v_low32 _mm_unpacklo_epi32
#define v_high32 _mm_unpackhi_epi32
#define v_low64 _mm_unpacklo_epi64
#define v_high64 _mm_unpackhi_epi64
#define v_pack_signed16 _mm_packs_epi16
#define v_mulhi_signed16 _mm_mulhi_epi16
#define v_mask8 _mm_movemask_epi8
#define V_ALL 0xffff
